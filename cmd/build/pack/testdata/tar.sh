#!/bin/sh
# Prints the SHA-256 of the tar that TestTarIsTheOneOfAnotherTool expects. -b 1: no zeros beyond the two blocks of the end.
set -e
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cd "$dir"
mkdir r01
printf 'one\n' >r01/a.txt
printf 'two\n' >r01/b.txt
tar --version | head -n 1
tar --format=ustar -b 1 --mtime='1980-01-01 00:00:00 UTC' --mode=0644 --numeric-owner --owner=0 --group=0 -cf - r01/a.txt r01/b.txt | sha256sum
