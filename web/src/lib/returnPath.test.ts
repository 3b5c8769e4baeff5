import { beforeEach, describe, expect, test } from "vitest";
import { atForge, forgeName, repoName, solvePath } from "@/lib/forge";
import { loginPath, ownPath, savedReturnPath, saveReturnPath, signInUrl } from "@/lib/returnPath";
import { PAYLOADS } from "@/testing/payloads";

describe("the return path of a login", () => {
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
  ])("%s", (text, path) => expect(ownPath(text)).toBe(path));

  test.each(PAYLOADS)("%s stays on this site", (text) =>
    expect(new URL(ownPath(`/${text}`), window.location.origin).origin).toBe(
      window.location.origin,
    ),
  );

  test("is part of the login links", () => {
    expect(loginPath("/")).toBe("/login");
    expect(loginPath("/cost?days=7")).toBe("/login?return_to=%2Fcost%3Fdays%3D7");
    expect(signInUrl("/cost?days=7")).toBe("/auth/login?return_to=%2Fcost%3Fdays%3D7");
    expect(signInUrl("//evil.example")).toBe("/auth/login?return_to=%2F");
  });

  test("is kept when a sign-in fails", () => {
    expect(savedReturnPath()).toBe("/");
    saveReturnPath("/cost");
    expect(savedReturnPath()).toBe("/cost");
    saveReturnPath("//evil.example");
    expect(savedReturnPath()).toBe("/");
  });
});

describe("links to the forge", () => {
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
  ])("%s", (url, isLink) => expect(atForge(url, "https://github.com") !== null).toBe(isLink));

  test("never match when there is no forge", () => {
    expect(atForge("https://github.com/o", "")).toBeNull();
  });

  test("have display names", () => {
    expect(repoName("https://github.com/o/r.git", "https://github.com")).toBe("o/r");
    expect(repoName("https://other.org/o/r", "https://github.com")).toBe("");
    expect(repoName("/home/ada", "https://github.com")).toBe("");
    expect(forgeName("https://github.com")).toBe("GitHub");
    expect(forgeName("https://git.acme.org")).toBe("GitHub at git.acme.org");
    expect(solvePath("o/r", 12)).toBe("/new?repo=o%2Fr&issue=12");
    expect(solvePath("o/r")).toBe("/new?repo=o%2Fr");
  });
});
