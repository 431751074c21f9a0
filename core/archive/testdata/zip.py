# Prints the SHA-256 of the zip that TestWriteGivesTheBytesOfAnotherTool expects.
import hashlib, io, json, sys, zipfile

files = {"r01/a.txt": b"one\n", "r01/b.txt": b"two\n"}
entries = [{"path": p, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for p, d in sorted(files.items())]
inventory = {"format": "retrace archive 1", "study": "r01", "files": entries}
files["INVENTORY.json"] = json.dumps(inventory, sort_keys=True, separators=(",", ":")).encode()

out = io.BytesIO()
with zipfile.ZipFile(out, "w") as z:
    for path, data in sorted(files.items()):
        info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        info.create_system = 3  # Unix
        info.external_attr = 0o100644 << 16
        z.writestr(info, data)
print("Python", sys.version.split()[0], hashlib.sha256(out.getvalue()).hexdigest())
if len(sys.argv) > 1:
    open(sys.argv[1], "wb").write(out.getvalue())
