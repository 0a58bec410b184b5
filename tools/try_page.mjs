// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// node try_page.mjs FOLDER: compile Python files, so that the page is there sooner: all packages, and what Python
// itself loads at its start. Of the rest of its library, what no program of a page needs goes; the others stay as they
// are, which is smaller.
import { readFileSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const { loadPyodide } = await import(`${folder}/pyodide/pyodide.mjs`);
const python = await loadPyodide();
const compile = python.runPython(`
import compileall, pathlib, re, sys, zipfile

UNUSED = re.compile(
    r"(_py(repl|io|datetime|decimal)|bdb|cmd|ctypes|doctest|ensurepip|ftplib|imaplib|mailbox|modulefinder"
    r"|multiprocessing|optparse|pdb|pickletools|plistlib|poplib|profile|pstats|pydoc|pydoc_data|smtplib|socketserver|trace"
    r"|turtle|unittest|wave|wsgiref|xml|xmlrpc)\\b|email/(?!__init__)|http/[cs]|asyncio/(windows|proactor)|logging/[ch]"
    r"|encodings/(cp(?!437)|mac_|koi|iso|big5|euc|gb|johab|ptcp|shift|hz|tis|hp)"
)
LOADED = [str(getattr(module, "__file__", "")) for module in list(sys.modules.values())]

def compile(folder, library):
    root = pathlib.Path(folder)
    for path in root.rglob("*.py"):
        if not library or any(name.endswith(f".zip/{path.relative_to(root)}") for name in LOADED):
            compileall.compile_file(path, legacy=True, quiet=1, optimize=2 if library else 0)
            path.unlink()
    with zipfile.ZipFile(f"{folder}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file() and not (library and UNUSED.match(str(path.relative_to(root)))):
                archive.write(path, path.relative_to(root))

compile
`);
for (const [name, library] of [["packages.zip", false], ["pyodide/python_stdlib.zip", true]]) {
  const place = library ? "/library" : "/packages";
  python.unpackArchive(new Uint8Array(readFileSync(`${folder}/${name}`)), "zip", { extractDir: place });
  compile(place, library);
  writeFileSync(`${folder}/${name}`, python.FS.readFile(`${place}.zip`));
}
