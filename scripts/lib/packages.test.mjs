import { expect, test } from "vitest";
import { arePackagesInstalled } from "./packages.mjs";

const locked = {
  packages: {
    "": { version: "0.1.0" },
    "node_modules/react": { version: "19.3.1" },
    "node_modules/@rolldown/mac": { version: "1.0.0", optional: true },
  },
};

test("packages are up to date only if every version matches the lock file", () => {
  const react = { "node_modules/react": { version: "19.3.1" } };
  expect(arePackagesInstalled(locked, { packages: react })).toBe(true);
  expect(arePackagesInstalled(locked, undefined)).toBe(false);
  expect(arePackagesInstalled(locked, { packages: {} })).toBe(false);
  expect(
    arePackagesInstalled(locked, { packages: { "node_modules/react": { version: "19.3.0" } } }),
  ).toBe(false);
});

test("accepts a missing but not an outdated program for another platform", () => {
  const packages = {
    "node_modules/react": { version: "19.3.1" },
    "node_modules/@rolldown/mac": { version: "0.9.0" },
  };
  expect(arePackagesInstalled(locked, { packages })).toBe(false);
});
