// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// node try_page.mjs FOLDER: compile the Python files in packages.zip, so that the page is there sooner.
import { readFileSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const { loadPyodide } = await import(`${folder}/pyodide/pyodide.mjs`);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(`${folder}/packages.zip`)), "zip", { extractDir: "/packages" });
python.runPython(`
import compileall, pathlib, zipfile

root = pathlib.Path("/packages")
compileall.compile_dir(root, legacy=True, quiet=1)
with zipfile.ZipFile("/packages.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".py":
            archive.write(path, path.relative_to(root))
`);
writeFileSync(`${folder}/packages.zip`, python.FS.readFile("/packages.zip"));
