"""Prints log.tsv: x, ln x rounded to the nearest float64, and the formula of log.go evaluated with Python's floats,
which are never fused. Bits in hexadecimal.

Printed with Python 3.11 and mpmath 1.4.1:  python log.py > log.tsv
"""
import math, random, struct
import mpmath

mpmath.mp.prec = 400
bits = lambda x: '%016x' % struct.unpack('<Q', struct.pack('<d', x))[0]
value = lambda b: struct.unpack('<d', struct.pack('<Q', b))[0]


def formula(x):
    L = [6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
         1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01]
    hi, lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
    f, k = math.frexp(x)
    if f < math.sqrt(2) / 2:
        f, k = f * 2, k - 1
    f -= 1
    s = f / (2 + f)
    s2 = s * s
    s4 = s2 * s2
    t1 = s2 * (L[0] + s4 * (L[2] + s4 * (L[4] + s4 * L[6])))
    t2 = s4 * (L[1] + s4 * (L[3] + s4 * L[5]))
    h = 0.5 * f * f
    return k * hi - ((h - (s * (h + (t1 + t2)) + k * lo)) - f)


def rounded(x):
    """The float64 nearest to ln x: of the candidates round the approximation, the nearest by 400 bits."""
    exact = mpmath.log(mpmath.mpf(x))
    near = float(exact)
    return min((math.nextafter(near, -math.inf), near, math.nextafter(near, math.inf)), key=lambda y: abs(mpmath.mpf(y) - exact))


r = random.Random(1)
xs = [5e-324, 1e-323, 3e-310, value(0x000fffffffffffff), 2.2250738585072014e-308, 1.7976931348623157e308, 0.5, 1.0, 2.0, 4.0, 10.0, math.e,
      math.sqrt(2), math.nextafter(math.sqrt(2) / 2, 0), math.sqrt(2) / 2, math.nextafter(math.sqrt(2) / 2, 1), 1 / 3]
for e in range(1, 53, 3):  # near 1
    xs += [1 + 2.0 ** -e, 1 - 2.0 ** -e]
xs += [math.nextafter(1, 0), math.nextafter(1, 2)]
xs += [value(r.getrandbits(52)) for _ in range(20)]  # subnormal
xs += [value(r.randrange(1 << 52, 0x7ff << 52)) for _ in range(120)]  # any exponent
xs += [r.uniform(0.5, 2) for _ in range(60)]
xs += [1 + (3000 - df + 0.5) / (df + 0.5) for df in range(1, 3001, 47)]  # as idf takes
print('x\tnearest\tformula')
for x in xs:
    print(bits(x), bits(rounded(x)), bits(formula(x)), sep='\t')
