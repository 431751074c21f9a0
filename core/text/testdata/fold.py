"""Prints fold.tsv: every code point that full case folding changes, and what it becomes, in hexadecimal.

Printed with Python 3.11 (Unicode 14), whose str.casefold is CaseFolding.txt, statuses C and F:  python fold.py > fold.tsv
"""
for c in range(0x110000):
    folded = chr(c).casefold()
    if folded != chr(c):
        print('%x' % c, ' '.join('%x' % ord(x) for x in folded), sep='\t')
