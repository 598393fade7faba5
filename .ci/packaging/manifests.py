"""Files for package managers of others: Homebrew, Nix, Scoop and winget. They name the archives and their sums."""

import json

from release import DESCRIPTION, HOMEPAGE, NAME, OUT, URL, VERSION, built, folder, sha256

targets = {target.name: target for target in built()}
summary = DESCRIPTION.removeprefix("A ")
summary = summary[0].upper() + summary[1:]


def archive(name):
    """The address and the sum of the archive of a target."""
    file = targets[name].archive
    return f"{URL}/{file}", sha256((OUT / file).read_bytes())


def homebrew():
    systems = ""
    for system, vendor in (("macos", "apple-darwin"), ("linux", "unknown-linux")):
        blocks = ""
        for processor, name in (("arm", "aarch64"), ("intel", "x86_64")):
            for found in (it for it in targets if it.startswith(f"{name}-{vendor}")):
                url, digest = archive(found)
                blocks += f'    on_{processor} do\n      url "{url}"\n      sha256 "{digest}"\n    end\n'
        if blocks:
            systems += f"  on_{system} do\n{blocks}  end\n"
    text = f"""class GitBeads < Formula
  desc "{summary}"
  homepage "{HOMEPAGE}"
  version "{VERSION}"
  license any_of: ["MIT", "Apache-2.0"]

{systems}
  def install
    bin.install "bin/git-beads"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/git-beads"
    zsh_completion.install "share/zsh/site-functions/_git-beads"
    fish_completion.install "share/fish/vendor_completions.d/git-beads.fish"
  end

  test do
    system bin/"git-beads", "demo"
  end
end
"""
    (folder("homebrew") / f"{NAME}.rb").write_text(text)


def nix():
    systems = {"x86_64-unknown-linux-gnu": "x86_64-linux", "aarch64-unknown-linux-musl": "aarch64-linux",
               "x86_64-apple-darwin": "x86_64-darwin", "aarch64-apple-darwin": "aarch64-darwin"}
    rows = ""
    for name, system in systems.items():
        if name in targets:
            url, digest = archive(name)
            rows += f'    {system} = {{ url = "{url}"; sha256 = "{digest}"; }};\n'
    text = f"""{{ lib, stdenvNoCC, fetchurl }}:
let
  archives = {{
{rows}  }};
in
stdenvNoCC.mkDerivation {{
  pname = "{NAME}";
  version = "{VERSION}";
  src = fetchurl archives.${{stdenvNoCC.hostPlatform.system}};
  installPhase = "mkdir $out && cp -R bin share $out/";
  dontFixup = true;
  meta = {{
    description = "{summary}";
    homepage = "{HOMEPAGE}";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "{NAME}";
    platforms = builtins.attrNames archives;
  }};
}}
"""
    (folder("nix") / "default.nix").write_text(text)


WINDOWS = {"x86_64-pc-windows-gnu": ("64bit", "x64"), "aarch64-pc-windows-gnullvm": ("arm64", "arm64")}


def scoop():
    architecture = {}
    for name in targets.keys() & WINDOWS:
        url, digest = archive(name)
        top = targets[name].archive.removesuffix(".zip")
        architecture[WINDOWS[name][0]] = {"url": url, "hash": digest, "extract_dir": top}
    manifest = {"version": VERSION, "description": summary, "homepage": HOMEPAGE, "license": "MIT|Apache-2.0",
                "depends": "git", "architecture": architecture, "bin": f"bin\\{NAME}.exe"}
    (folder("scoop") / f"{NAME}.json").write_text(json.dumps(manifest, indent=4, sort_keys=True) + "\n")


def winget():
    """Three documents; JSON is YAML too."""
    identifier = "GitBeads.GitBeads"
    installers = []
    for name in sorted(targets.keys() & WINDOWS):
        url, digest = archive(name)
        top = targets[name].archive.removesuffix(".zip")
        nested = {"RelativeFilePath": f"{top}\\bin\\{NAME}.exe", "PortableCommandAlias": NAME}
        installers.append({"Architecture": WINDOWS[name][1], "InstallerType": "zip", "NestedInstallerType": "portable",
                           "NestedInstallerFiles": [nested], "InstallerUrl": url, "InstallerSha256": digest.upper()})
    kinds = {
        "": ("version", {"DefaultLocale": "en-US"}),
        ".installer": ("installer", {"Installers": installers}),
        ".locale.en-US": ("defaultLocale", {
            "PackageLocale": "en-US", "Publisher": "git-beads", "PackageName": NAME, "License": "MIT OR Apache-2.0",
            "PackageUrl": HOMEPAGE, "ShortDescription": summary}),
    }
    for ending, (kind, members) in kinds.items():
        manifest = {"PackageIdentifier": identifier, "PackageVersion": VERSION} | members
        manifest |= {"ManifestType": kind, "ManifestVersion": "1.6.0"}
        (folder("winget") / f"{identifier}{ending}.yaml").write_text(json.dumps(manifest, indent=2) + "\n")


homebrew()
nix()
if targets.keys() & WINDOWS:
    scoop()
    winget()
