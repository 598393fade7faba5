// Reads documents as VS Code does, and says what they mean: a line of JSON each.
import { readFileSync } from "node:fs";
import { parse, printParseErrorCode } from "jsonc-parser";

for (const path of process.argv.slice(2)) {
  const errors = [];
  // A byte order mark is the business of whoever reads the file.
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const value = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const said = errors.map(({ error }) => printParseErrorCode(error));
  console.log(JSON.stringify(errors.length ? { errors: said } : { value }));
}
