// @ts-nocheck: colour arithmetic on plain arrays, whose lengths the types would have to repeat
// Reads tokens.css and checks both themes: every pair of page states stays apart (CIEDE2000) for
// normal vision and for protanopia, deuteranopia and tritanopia, by two models each (Machado 2009,
// Brettel 1997); every page state stays apart from the ground; text has contrast (WCAG 2.2).

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync("web/src/styles/tokens.css", "utf8");
const tokens = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
const themes = {
  light: Object.fromEntries(tokens.map(([, name, light]) => [name, light])),
  dark: Object.fromEntries(tokens.map(([, name, , dark]) => [name, dark])),
};
const STATES = [
  "free",
  "anon-active",
  "anon-inactive",
  "file-active",
  "file-inactive",
  "dirty",
  "writeback",
  "isolated",
  "slab",
  "page-table",
  "huge",
  "reserved",
];
const MIN_PAIR = 11,
  MIN_GROUND = 8.5,
  MIN_TEXT = 4.5;

const machado = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const brettel = {
  protan: {
    n: [0.00048, 0.00416, -0.00464],
    a: [
      [0.1451, 1.20165, -0.34675],
      [0.10447, 0.85316, 0.04237],
      [0.00429, -0.00603, 1.00174],
    ],
    b: [
      [0.14115, 1.16782, -0.30897],
      [0.10495, 0.8573, 0.03776],
      [0.00431, -0.00586, 1.00155],
    ],
  },
  deutan: {
    n: [-0.00293, -0.00645, 0.00938],
    a: [
      [0.36198, 0.86755, -0.22953],
      [0.26099, 0.64512, 0.09389],
      [-0.01975, 0.02686, 0.99289],
    ],
    b: [
      [0.37009, 0.8854, -0.25549],
      [0.25767, 0.63782, 0.10451],
      [-0.0195, 0.02741, 0.99209],
    ],
  },
  tritan: {
    n: [0.0396, -0.02831, -0.01129],
    a: [
      [1.01354, 0.14268, -0.15622],
      [-0.01181, 0.87561, 0.13619],
      [0.07707, 0.81208, 0.11085],
    ],
    b: [
      [0.93337, 0.19999, -0.13336],
      [0.05809, 0.82565, 0.11626],
      [-0.37923, 1.13825, 0.24098],
    ],
  },
};
const lin = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4),
  clamp = (x) => Math.min(1, Math.max(0, x));
const rgb = (h) => [1, 3, 5].map((i) => lin(parseInt(h.slice(i, i + 2), 16) / 255)),
  dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  mul = (m, v) => m.map((r) => clamp(dot(r, v)));
const visions = { normal: (v) => v };
for (const k in machado) {
  visions[`${k} (Machado)`] = (v) => mul(machado[k], v);
  visions[`${k} (Brettel)`] = (v) =>
    mul(dot(brettel[k].n, v) >= 0 ? brettel[k].a : brettel[k].b, v);
}
const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
const lab = (v) => {
  const [x, y, z] = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.072175],
    [0.0193339, 0.119192, 0.9503041],
  ].map((r, i) => f(dot(r, v) / [0.95047, 1, 1.08883][i]));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};
function de2000([L1, a1, b1], [L2, a2, b2]) {
  const R = Math.PI / 180,
    Cm = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2,
    G = 0.5 * (1 - Math.sqrt(Cm ** 7 / (Cm ** 7 + 25 ** 7))),
    A1 = a1 * (1 + G),
    A2 = a2 * (1 + G),
    c1 = Math.hypot(A1, b1),
    c2 = Math.hypot(A2, b2);
  const hue = (x, y) => (x || y ? (Math.atan2(y, x) / R + 360) % 360 : 0),
    h1 = hue(A1, b1),
    h2 = hue(A2, b2);
  let dh = c1 * c2 ? h2 - h1 : 0;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  let hm = h1 + h2;
  if (c1 * c2) hm = (Math.abs(h1 - h2) > 180 ? hm + (hm < 360 ? 360 : -360) : hm) / 2;
  const Lm = (L1 + L2) / 2,
    cm = (c1 + c2) / 2;
  const T =
      1 -
      0.17 * Math.cos((hm - 30) * R) +
      0.24 * Math.cos(2 * hm * R) +
      0.32 * Math.cos((3 * hm + 6) * R) -
      0.2 * Math.cos((4 * hm - 63) * R),
    Sl = 1 + (0.015 * (Lm - 50) ** 2) / Math.sqrt(20 + (Lm - 50) ** 2),
    Sc = 1 + 0.045 * cm,
    Sh = 1 + 0.015 * cm * T;
  const dL = (L2 - L1) / Sl,
    dC = (c2 - c1) / Sc,
    dH = (2 * Math.sqrt(c1 * c2) * Math.sin((dh * R) / 2)) / Sh,
    Rt =
      -Math.sin(60 * Math.exp(-(((hm - 275) / 25) ** 2)) * R) *
      2 *
      Math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7));
  return Math.sqrt(dL * dL + dC * dC + dH * dH + Rt * dC * dH);
}
const lum = (h) => dot([0.2126, 0.7152, 0.0722], rgb(h)),
  contrast = (a, b) => {
    const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
const say = (ok, t) => test(t, () => expect(ok).toBe(true));
for (const [name, t] of Object.entries(themes)) {
  for (const [vis, see] of Object.entries(visions)) {
    const L = Object.fromEntries(
      [...STATES, "ground", "panel"].map((k) => [k, lab(see(rgb(t[k])))]),
    );
    let m = [1e9],
      g = [1e9];
    STATES.forEach((a, i) => {
      STATES.slice(i + 1).forEach((b) => {
        const d = de2000(L[a], L[b]);
        if (d < m[0]) m = [d, a, b];
      });
      for (const p of ["ground", "panel"]) {
        const d = de2000(L[a], L[p]);
        if (d < g[0]) g = [d, a, p];
      }
    });
    say(
      m[0] >= MIN_PAIR && g[0] >= (vis === "normal" ? MIN_GROUND : 6),
      `${name.padEnd(5)} ${vis.padEnd(16)} least pair ${m[0].toFixed(1)} (${m[1]}, ${m[2]}); least to a surface ${g[0].toFixed(1)} (${g[1]}, ${g[2]})`,
    );
  }
  for (const [fg, bg] of [
    ["ink-1", "ground"],
    ["ink-2", "ground"],
    ["ink-3", "ground"],
    ["ink-3", "panel"],
    ["ink-2", "wash"],
    ["ink-1", "free"],
    ["ink-2", "free"],
    ["inverse", "ink-1"],
  ]) {
    const c = contrast(t[fg], t[bg]);
    say(c >= MIN_TEXT, `${name.padEnd(5)} text ${fg} on ${bg}: ${c.toFixed(2)}`);
  }
}
