"""Figures of `.ci/house` that show where the mass of the source is, and which files can't be read alone.

  capability  what a user gets, with the files that exist for it: the first pattern that fits a path counts. Lines are those
              of the source without its tests.
  circle      a strongly connected set of files of one layer. An edge is a call: `f(`, `Type::f(`, or a method of a locator
              (`self.store.refs()`), resolved to the file of the layer that defines it, so that neither a re-export nor an
              accessor hides it. Methods of other types are left out: whoever has such a value was given it. A module and
              its own ancestors and descendants are one room: calls between them are no edge.
  closure     `let name = |..|`: a function with a name of its own inside of another one.
  tuple       a parameter `(a, b): (A, B)`: two values where a struct would name both.
"""
import collections
import re

# A capability, the paths of its files, and the number of lines that it may have in the end.
CAPABILITIES = [
    ("cockpit: desk, ui, serve, acts, scenes", 7500, r"^(desk|ui|serve)/|ops/(act|scene)|verbs/(ui|serve)\.rs"),
    ("ways in: other trackers", 1200, r"ways_in|import/(github|gitlab|csv|jira|linear)|sources/"),
    (
        "claims, leases, agents",
        3400,
        r"store/(agents|notices|seen_claims)|remote/older_claims|remote_claim|shared/older_claims|shared/claim"
        r"|claim_policy|absence|model/claim\.rs|sync/(judge|yields|decided|own_write|hear|lost_claim|silent)"
        r"|verbs/(start|stop|people|ready)\.rs|env/agent|ops/(agent|held)|answer/claim|ops/work/|model/party",
    ),
    (
        "reach: mailbox, carry, bundle, first contact",
        2700,
        r"carr[iy]|snapshot_file|from_snapshot|shared/snapshot|verbs/(snapshot|collect|init)|tracker/cloned"
        r"|first_contact|mailbox|reach_notes|merge/snapshots|exchange/(arrivals|base)|env/sandbox|store/user_branch|bundle",
    ),
    (
        "door: replay, set-back, repair, fsck, doctor",
        2600,
        r"store/(replay|restore|known|set_back|reach\.|incoming|fsck|own_files|uninstall)|tracker/repair|doctor"
        r"|shared/join\.|uninstall|store/door/",
    ),
    (
        "durability, locks, refs, objects",
        3800,
        r"store/(journal|durability|loose|pack|fast_import|maintenance|replaced|write_lock|lock_file|permissions"
        r"|private_file|refs|ref_locks|objects|keep|write/)",
    ),
    (
        "merge, transaction, trees, history",
        4700,
        r"store/(merge|transaction|rewrit|unsent|changes|tree|object|snapshot|history|revision|bulk|repo|mod|error|oid|identity"
        r"|command|cancel)|model/(blob|join|stamp|limits|valid|canon|delta)",
    ),
    (
        "plain exchange",
        3300,
        r"store/(remote|git|child|failure|run|relay|push_url|refspec)|shared/sync|exchange"
        r"|verbs/(sync|push|pull|fetch|clone|conflicts|resolve)|remote_state",
    ),
    ("index", 5100, r"^index/"),
    ("query", 2300, r"model/(ask|query|date)|shared/(ask|query|words|unknown)|options/filter|options/words|look/query"),
    (
        "undo, log, blame, diff, news, wait",
        3800,
        r"undo|verbs/(log|blame|diff|watch|wait|whats_new)|news|_diff|issue_state|shared/(origin|operation)|oplog",
    ),
    ("HTML, prose, markdown", 1300, r"prose|^page/|^text/|line_diff"),
    ("import, export, bd", 2600, r"model/bd|import|tools/bd|verbs/export"),
    ("MCP", 5000, r"^mcp/"),
    ("hooks", 1400, r"^hooks/|verbs/hook|hook_"),
    ("setup", 1900, r"^setup/|verbs/setup"),
    (
        "argv, completion, man, suggest, schema",
        1900,
        r"cli/(completion|man|suggest|argv|schema|verbs/(completion|complete_|man|schema))",
    ),
    ("CLI frame and verbs", 6500, r"^cli/"),
    ("local state", 300, r"store/(contexts|seen|notes)|^local/"),
    ("rest of the model", 2100, r"^model/"),
    ("platform, env, files", 700, r"^(platform|env|files|main|lib)"),
    ("rest of ops", 7900, r"^ops/"),
    ("rest of the store", 0, r"^store/"),
]

# Types that lead to other files by their methods, and the expressions that have them.
LOCATORS = {
    "Store": r"\bstore\b(?:\(\))?",
    "Tracker": r"\btracker\b(?:\(\))?",
    "View": r"\bview\b",
    "Tx": r"\btx\b",
    "Index": r"\bindex\b",
    "Snapshot": r"\bsnapshot\b(?:\(\))?",
}

ITEM = re.compile(r"^pub(?:\([^)]*\))? (?:const |async |unsafe )*(?:fn|struct|enum|trait|type|static|const) (\w+)", re.M)
OWN = re.compile(r"\b(?:fn|struct|enum|trait|type|static|const|let|mut) (\w+)|(\w+): &?(?:mut )?(?:impl|dyn) ")
REEXPORT = re.compile(r"(?m)^\s*pub(?:\([^)]*\))? use [^;]*;")
IMPORT = re.compile(r"\buse (?:crate|super|self)[^;]*;")
PATH = re.compile(r"\b(?!fs\b|mem\b|thread\b|process\b|std\b)[a-z]\w*::(\w+)")
FUNCTION_CALL = re.compile(r"(?<![.\w])([a-z]\w*)\(")
TYPE_CALL = re.compile(r"\b([A-Z]\w+)(?:::<[^>]*>)?(?:::\w+\(| \{ )")
CLOSURE = re.compile(r"\blet (?:mut )?\w+(?:: [^=;]+)? =\s*(?:move )?\|")
SIGNATURE = re.compile(r"\bfn \w+[^{;]*")
TUPLE = re.compile(r"[(,]\s*\((?:&?(?:mut )?\w+\s*,?\s*){2,}\)\s*:")


def lines_name(capability):
    return f"lines of {capability}"


def lines_by_capability(sources):
    """The number of lines of each capability, and its files, largest first."""
    files = {name: [] for name, _, _ in CAPABILITIES}
    for path, source in sources.items():
        owners = [name for name, _, pattern in CAPABILITIES if re.search(pattern, path)]
        assert owners, f"{path} belongs to no capability"
        files[owners[0]].append((len(source.lines), path))
    return {name: sorted(found, reverse=True) for name, found in files.items()}


def closures(sources):
    """Each named closure, as `path: let name`."""
    return [
        f"{path}: {match.group(0)}"
        for path, source in sorted(sources.items())
        for match in CLOSURE.finditer(source.code)
    ]


def tuple_parameters(sources):
    return [
        f"{path}: {' '.join(signature.split())[:90]}"
        for path, source in sorted(sources.items())
        for signature in SIGNATURE.findall(source.code)
        for _ in TUPLE.findall(signature)
    ]


def methods(code, kind):
    """The names of the methods of `impl KIND` in a text."""
    blocks = re.findall(rf"^impl(?:<[^>]*>)? {kind}(?:<[^>]*>)? \{{(.*?)^\}}", code, re.M | re.S)
    return {
        name for block in blocks for name in re.findall(r"^    (?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)", block, re.M)
    }


def room(path):
    return re.sub(r"(/mod)?\.rs$", "", path)


def is_related(one, other):
    """Whether one of two files is the module of the other, or contains it."""
    return (room(one) + "/").startswith(room(other) + "/") or room(other).startswith(room(one) + "/")


def calls(sources):
    """The graph of files: which one calls what another file of its layer defines."""
    layer = {path: path.split("/")[0] for path in sources}
    defined = collections.defaultdict(lambda: collections.defaultdict(set))
    located = {kind: collections.defaultdict(set) for kind in LOCATORS}
    for path, source in sources.items():
        for name in ITEM.findall(source.code):
            defined[layer[path]][name].add(path)
        for kind in LOCATORS:
            for name in methods(source.code, kind):
                located[kind][name].add(path)
    graph = {}
    for path, source in sources.items():
        code = REEXPORT.sub("", source.code)
        found = called_by_name(source.code, code, defined[layer[path]])
        for kind, receiver in LOCATORS.items():
            is_own = re.search(rf"^impl(?:<[^>]*>)? {kind}\b", source.code, re.M)
            receivers = rf"\bself\b|{receiver}" if is_own else receiver
            for name in set(re.findall(rf"(?:{receivers})\s*\.(\w+)\(", code)):
                found |= {other for other in located[kind][name] if layer[other] == layer[path]}
        graph[path] = {other for other in found if not is_related(path, other)}
    return graph


def called_by_name(whole, code, defined):
    """The files that define what a text calls by a name which it has imported, or as a path."""
    own = {name for pair in OWN.findall(whole) for name in pair}
    named = set(re.findall(r"\w+", " ".join(IMPORT.findall(code)))) | set(PATH.findall(code))
    called = set(FUNCTION_CALL.findall(code)) | set(TYPE_CALL.findall(code))
    found = set()
    for name in (called & named) - own:
        # A name that two files define says nothing.
        if len(defined[name]) == 1:
            found |= defined[name]
    return found
