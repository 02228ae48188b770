/**
 * Paths that are written in different ways on Windows and macOS, and file URIs in both directions.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  absolutePath,
  fileUri,
  normalizedPath,
  pathBelow,
  pathKey,
  readFileUri,
  shownPath,
} from "../../lib/display/index.ts";
import { viewOf } from "../support/translate/cli-events.ts";

describe("pathBelow", () => {
  it("pathBelow knows a Windows path in any case, with either separator, with \\\\?\\ and as Git Bash writes it", () => {
    const directory = "C:\\Users\\Me\\proj";
    const rows: readonly (readonly [string, string | undefined])[] = [
      ["C:\\Users\\Me\\proj\\A.ts", "A.ts"],
      ["c:\\users\\me\\PROJ\\src\\A.ts", "src\\A.ts"],
      ["C:/Users/Me/proj/src/A.ts", "src\\A.ts"],
      ["\\\\?\\C:\\Users\\Me\\proj\\A.ts", "A.ts"],
      ["/c/Users/Me/proj/src/A.ts", "src\\A.ts"],
      ["c:\\users\\me\\proj", ""],
      ["C:\\Users\\Me\\proj\\", ""],
      ["C:\\Users\\Me\\project\\A.ts", undefined],
      ["D:\\Users\\Me\\proj\\A.ts", undefined],
      ["/d/Users/Me/proj/A.ts", undefined],
    ];
    for (const [path, below] of rows) {
      assert.equal(pathBelow(path, directory), below, path);
      assert.equal(pathBelow(path, `\\\\?\\${directory}`), below, path);
    }
  });

  it("pathBelow knows a path on a server, also with \\\\?\\UNC", () => {
    assert.equal(pathBelow("\\\\SERVER\\share\\a\\b.ts", "\\\\server\\share\\a"), "b.ts");
    assert.equal(pathBelow("\\\\?\\UNC\\server\\share\\a\\b.ts", "\\\\server\\share\\a"), "b.ts");
    assert.equal(pathBelow("\\\\other\\share\\a\\b.ts", "\\\\server\\share\\a"), undefined);
    assert.equal(pathBelow("C:\\a.ts", "C:\\"), "a.ts");
  });

  it("pathBelow knows /private/var as /var, and names in NFD as the same in NFC", () => {
    assert.equal(pathBelow("/private/var/folders/x/a.ts", "/var/folders/x"), "a.ts");
    assert.equal(pathBelow("/var/folders/x/a.ts", "/private/var/folders/x"), "a.ts");
    assert.equal(pathBelow("/private/varnish/a", "/varnish"), undefined);
    assert.equal(pathBelow("/p/cafe\u0301/a.ts", "/p/caf\u00e9"), "a.ts");
  });

  it("pathBelow is exact about case elsewhere", () => {
    assert.equal(pathBelow("/A/b", "/a"), undefined);
    assert.equal(pathBelow("/a/b", "/a/"), "b");
    assert.equal(pathBelow("/a.ts", "/"), "a.ts");
    assert.equal(pathBelow("/", "/"), "");
    assert.equal(pathBelow("/ab", "/a"), undefined);
  });

  it("shownPath and absolutePath understand the drives of Git Bash only in a Windows session", () => {
    assert.equal(shownPath("/c/p/a.ts", viewOf({ cwd: "C:\\p" })), "a.ts");
    assert.equal(absolutePath("/c/x/a.ts", viewOf({ cwd: "C:\\p" })), "C:\\x\\a.ts");
    assert.equal(absolutePath("/c/x/a.ts", viewOf({ cwd: "/p" })), "/c/x/a.ts");
  });
});

describe("fileUri", () => {
  it("fileUri and readFileUri are inverse for paths of every system", () => {
    const rows: readonly (readonly [string, string, string])[] = [
      ["/a b/c#d?e%/\u00e9", "file:///a%20b/c%23d%3Fe%25/%C3%A9", "/a b/c#d?e%/\u00e9"],
      ["C:\\a b\\c#d.ts", "file:///C:/a%20b/c%23d.ts", "C:/a b/c#d.ts"],
      ["\\\\?\\C:\\a", "file:///C:/a", "C:/a"],
      ["\\\\server\\share\\a b", "file://server/share/a%20b", "\\\\server\\share\\a b"],
      ["\\\\?\\UNC\\server\\share\\a", "file://server/share/a", "\\\\server\\share\\a"],
    ];
    for (const [path, uri, read] of rows) {
      assert.equal(fileUri(path), uri);
      assert.equal(readFileUri(uri)?.path, read);
    }
  });

  it("readFileUri reads the forms that editors write", () => {
    const paths = [
      "file:///c%3A/a.ts#L3",
      "file://localhost/C:/a.ts",
      "file://server/share/a.ts",
      "file:///home/a.ts",
    ].map((uri) => readFileUri(uri)?.path);
    assert.deepEqual(paths, ["c:/a.ts", "C:/a.ts", "\\\\server\\share\\a.ts", "/home/a.ts"]);
  });
});

describe("normalizedPath", () => {
  it("normalizedPath removes dots and repeated separators, on every system", () => {
    const rows: readonly (readonly [string, string])[] = [
      ["/a/./b//c/../d", "/a/b/d"],
      ["/../../a", "/a"],
      ["/", "/"],
      ["C:/a/../b\\\\c", "C:\\b\\c"],
      ["C:\\", "C:\\"],
      ["\\\\?\\C:\\a\\.\\b", "C:\\a\\b"],
      ["\\\\server\\share\\a\\..\\b", "\\\\server\\share\\b"],
    ];
    for (const [path, normal] of rows) assert.equal(normalizedPath(path), normal, path);
  });

  it("pathKey is the same for /private/tmp and /tmp, NFC and NFD, and a Windows path in any case", () => {
    assert.equal(pathKey("/private/tmp/a"), pathKey("/tmp/a"));
    assert.equal(pathKey("/p/\u00e9"), pathKey("/p/e\u0301"));
    assert.equal(pathKey("c:/A"), pathKey("C:\\a"));
    assert.notEqual(pathKey("/p/A"), pathKey("/p/a"));
  });
});
