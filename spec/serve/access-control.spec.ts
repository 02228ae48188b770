/**
 * Access control: which Host, Origin and token a request may have.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessControl, inUrl, newToken } from "../../lib/serve/access-control.ts";
import { HttpError } from "../../lib/serve/http-error.ts";

const token = "0123456789abcdef";
const usual = accessControl({ token, host: "127.0.0.1" });

function codeOf(run: () => unknown): string {
  try {
    run();
    return "admitted";
  } catch (cause) {
    assert.ok(cause instanceof HttpError);
    return cause.code;
  }
}

describe("access control by Host", () => {
  it("a loopback name is accepted as Host with any port, because a tunnel has another one", () => {
    for (const host of ["127.0.0.1:4747", "localhost:4747", "LOCALHOST:1", "localhost", "[::1]:4747"]) {
      assert.equal(
        codeOf(() => usual.admit({ host })),
        "admitted",
        host,
      );
    }
  });

  it("a foreign name that resolves to this machine is rejected as Host", () => {
    const foreign = [
      undefined,
      "",
      "evil.example",
      "evil.example:4747",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "localhost:4747@evil.example",
      "evil.example/localhost",
      "10.0.0.1:4747",
      "[::2]:4747",
      "localhost:4747 ",
      "__proto__",
    ];
    for (const host of foreign)
      assert.equal(
        codeOf(() => usual.admit({ host })),
        "forbidden",
        String(host),
      );
  });

  it("an IP address is accepted as Host when the server listens on all interfaces, a foreign name is not", () => {
    for (const host of ["0.0.0.0", "::"]) {
      const { admit } = accessControl({ token, host });
      assert.equal(
        codeOf(() => admit({ host: "192.168.1.20:4747" })),
        "admitted",
      );
      assert.equal(
        codeOf(() => admit({ host: "[fe80::1]:4747" })),
        "admitted",
      );
      assert.equal(
        codeOf(() => admit({ host: "evil.example:4747" })),
        "forbidden",
      );
    }
  });

  it("an allowed name is accepted as Host", () => {
    const { admit } = accessControl({ token, host: "127.0.0.1", names: ["Build.example"] });
    assert.equal(
      codeOf(() => admit({ host: "build.example" })),
      "admitted",
    );
  });
});

describe("access control by Origin", () => {
  it("a request without Origin or with the page's own Origin is accepted", () => {
    assert.equal(usual.admit({ host: "127.0.0.1:4747" }), undefined);
    assert.equal(usual.admit({ host: "127.0.0.1:4747", origin: "http://127.0.0.1:4747" }), undefined);
    assert.equal(usual.admit({ host: "localhost:9", origin: "https://localhost:9" }), undefined);
  });

  it("the Origin of another page is rejected, also of another port of this machine", () => {
    const foreign = [
      "http://evil.example",
      "http://localhost:4747",
      "http://127.0.0.1:5173",
      "http://127.0.0.1",
      "null",
      "",
      "file://",
      "http://127.0.0.1:4747.evil.example",
      "http://evil.example@127.0.0.1:4747",
    ];
    for (const origin of foreign) {
      assert.equal(
        codeOf(() => usual.admit({ host: "127.0.0.1:4747", origin })),
        "forbidden",
        origin,
      );
    }
  });

  it("an allowed Origin is accepted and returned", () => {
    const { admit } = accessControl({ token, host: "127.0.0.1", origins: ["http://localhost:5173"] });
    assert.equal(admit({ host: "127.0.0.1:4747", origin: "http://localhost:5173" }), "http://localhost:5173");
    assert.equal(
      codeOf(() => admit({ host: "127.0.0.1:4747", origin: "http://localhost:5174" })),
      "forbidden",
    );
  });
});

describe("access control by token", () => {
  it("the token is accepted in the Bearer scheme, in upper or lower case", () => {
    for (const authorization of [`Bearer ${token}`, `bearer   ${token}`]) {
      assert.equal(
        codeOf(() => usual.checkToken({ authorization })),
        "admitted",
      );
    }
  });

  it("a token that is missing, wrong, truncated, too long or in another scheme is rejected", () => {
    const wrong = [undefined, "", token, "Bearer", "Bearer ", `Bearer ${token}0`, `Bearer ${token.slice(1)}`];
    for (const authorization of [...wrong, `Basic ${token}`, `Bearer ${token} x`, `xBearer ${token}`]) {
      const headers = authorization === undefined ? {} : { authorization };
      assert.equal(
        codeOf(() => usual.checkToken(headers)),
        "unauthorized",
        authorization ?? "none",
      );
    }
  });

  it("newToken returns a new long token each time", () => {
    const tokens = new Set(Array.from({ length: 50 }, newToken));
    assert.equal(tokens.size, 50);
    for (const one of tokens) assert.match(one, /^[\w-]{43}$/);
  });
});

describe("inUrl", () => {
  it("inUrl puts brackets around an IPv6 address", () => {
    assert.deepEqual(["::1", "127.0.0.1", "Example"].map(inUrl), ["[::1]", "127.0.0.1", "example"]);
  });
});
