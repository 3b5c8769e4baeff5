import { beforeEach, describe, expect, test } from "vitest";
import { atForge, forgeName, repoName, solvePath } from "@/lib/forge";
import { enterUrl, loginPath, ownPath, savedReturnPath, saveReturnPath } from "@/lib/returnPath";
import { PAYLOADS } from "@/testing/payloads";

describe("where a login returns to", () => {
  beforeEach(() => sessionStorage.clear());

  test.each([
    ["/solves/1?view=diff#m5", "/solves/1?view=diff#m5"],
    ["/new?repo=o/r&issue=12", "/new?repo=o/r&issue=12"],
    ["/repos/ö/r", "/repos/%C3%B6/r"],
    ["/loginless", "/loginless"],
    [null, "/"],
    ["", "/"],
    ["cost", "/"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["/.//evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["/login?return_to=/login", "/"],
    ["/auth/login", "/"],
    ["/api/logout", "/"],
  ])("%s", (asked, path) => expect(ownPath(asked)).toBe(path));

  test.each(PAYLOADS)("%s stays on this page", (text) =>
    expect(new URL(ownPath(`/${text}`), window.location.origin).origin).toBe(
      window.location.origin,
    ),
  );

  test("there and off to the forge", () => {
    expect(loginPath("/")).toBe("/login");
    expect(loginPath("/cost?days=7")).toBe("/login?return_to=%2Fcost%3Fdays%3D7");
    expect(enterUrl("/cost?days=7")).toBe("/auth/login?return_to=%2Fcost%3Fdays%3D7");
    expect(enterUrl("//evil.example")).toBe("/auth/login?return_to=%2F");
  });

  test("what was wanted outlives a failure", () => {
    expect(savedReturnPath()).toBe("/");
    saveReturnPath("/cost");
    expect(savedReturnPath()).toBe("/cost");
    saveReturnPath("//evil.example");
    expect(savedReturnPath()).toBe("/");
  });
});

describe("addresses at the forge", () => {
  test.each([
    ["https://github.com/o/r/pull/1", true],
    ["https://github.com:443/o", true],
    ["http://github.com/o", false],
    ["https://github.com.evil.example/o", false],
    ["https://github.com@evil.example/o", false],
    ["https://ada@github.com/o", false],
    ["javascript:alert(1)", false],
    ["/o/r", false],
    ["", false],
  ])("%s", (url, is) => expect(atForge(url, "https://github.com") !== null).toBe(is));

  test("without a forge nothing is at it", () => {
    expect(atForge("https://github.com/o", "")).toBeNull();
  });

  test("names", () => {
    expect(repoName("https://github.com/o/r.git", "https://github.com")).toBe("o/r");
    expect(repoName("https://other.org/o/r", "https://github.com")).toBe("");
    expect(repoName("/home/ada", "https://github.com")).toBe("");
    expect(forgeName("https://github.com")).toBe("GitHub");
    expect(forgeName("https://git.acme.org")).toBe("GitHub at git.acme.org");
    expect(solvePath("o/r", 12)).toBe("/new?repo=o%2Fr&issue=12");
    expect(solvePath("o/r")).toBe("/new?repo=o%2Fr");
  });
});
