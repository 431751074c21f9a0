"""Prints exp.tsv: function, x, the true value to 20 digits, and the formula of exp.go evaluated with Python's floats, which are
never fused. x and the formula's result as bits in hexadecimal: of float32 for exp and gelu, of float64 for erf.

The true values are mpmath's at 50 digits, from the float's exact value.

Printed with Python 3.11 and mpmath 1.4.1:  python exp.py > exp.tsv
"""
import math, random, struct
import mpmath

mpmath.mp.dps = 50
bits32 = lambda x: '%08x' % struct.unpack('<I', struct.pack('<f', x))[0]
bits64 = lambda x: '%016x' % struct.unpack('<Q', struct.pack('<d', x))[0]
float32 = lambda x: struct.unpack('<f', struct.pack('<f', x))[0]
from32 = lambda b: struct.unpack('<f', struct.pack('<I', b))[0]


def exp(x):
    c = [0.50000000135387298866, 0.16666666681704215043, 0.041666464197405692315, 0.0083333108446478625642,
         0.0013933730715792082492, 0.00019891080463998842028]
    hi, lo, shift = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.5 * 2.0 ** 52
    if x < -104:
        return 0.0
    k = (x * 1.44269504088896340736 + shift) - shift
    r = (x - k * hi) - k * lo
    p = c[5]
    for a in c[4::-1]:
        p = a + r * p
    return float32((1 + (r + r * r * p)) * 2.0 ** k)


P = [1.1283791664461036481, 0.22859195988637075192, 0.062761175821261483312, 0.0063370483180773353222, 0.00061147191392040857894,
     0.000031974144883880227454, 9.0438546199892053437e-7, 2.7604593847698515507e-9]
Q = [1.0, 0.5359176721482190094, 0.13425992862130527794, 0.020586974229719984382, 0.0021087734680713042347,
     0.00014549715097239109351, 6.308001783142612679e-6, 7.6110493854605514531e-8]


def erf(x):
    x = max(-4.5, min(x, 4.5))
    t = x * x
    p, q = P[7], Q[7]
    for a, b in zip(P[6::-1], Q[6::-1]):
        p, q = a + t * p, b + t * q
    return x * p / q


def gelu(x):
    return float32(0.5 * x * (1 + erf(x * (math.sqrt(2) / 2))))


r = random.Random(1)
xs = [0.0, 1.0, -1.0, 0.5, math.log(2), -math.log(2), 10.0, -10.0, 88.72, -87.33, -87.34, -95.0, -103.9, -103.98, 1e-10, -1e-10, 1e-40]
xs += [k * math.log(2) / 2 for k in range(-40, 41, 3)]  # where k changes
xs += [-r.expovariate(0.2) for _ in range(150)]  # as softmax takes
xs += [r.uniform(-104, 88.7) for _ in range(60)]
print('function\tx\ttrue\tformula')
for x in map(float32, xs):
    print('exp', bits32(x), mpmath.nstr(mpmath.exp(mpmath.mpf(x)), 20), bits32(exp(x)), sep='\t')
ys = [0.0, 4.5, -4.5, math.nextafter(4.5, 0), 4.6, 7.0, -30.0, 1e300, 1e-300, 1e-9, -1e-9] + [i / 32 for i in range(-150, 151, 2)]
for y in ys + [r.gauss(0, 1.5) for _ in range(150)]:
    print('erf', bits64(y), mpmath.nstr(mpmath.erf(mpmath.mpf(y)), 20), bits64(erf(y)), sep='\t')
zs = [0.0, 1.0, -1.0, 6.36, 6.37, -6.36, -6.37, 20.0, -20.0, 1e-20, -1e-20, 3e38, -40.0] + [i / 16 for i in range(-120, 121, 2)]
for z in map(float32, zs + [r.gauss(0, 2) for _ in range(150)]):
    m = mpmath.mpf(z)
    print('gelu', bits32(z), mpmath.nstr(m * mpmath.ncdf(m), 20), bits32(gelu(z)), sep='\t')
