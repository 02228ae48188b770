/**
 * The files by which package managers install a release: a Homebrew formula and a Nix
 * expression. Addresses and checksums are those of the release.
 */
import { releaseInfo } from "../../../lib/program/zed/release-info.ts";

export interface PackagingRelease {
  readonly repository: string;
  /** SHA-256 by file name. */
  readonly sums: ReadonlyMap<string, string>;
}

/** File texts by path. */
export function packagingFiles({ repository, sums }: PackagingRelease): Readonly<Record<string, string>> {
  const { id, version, license, website } = releaseInfo;
  const url = `${repository}/releases/download/v${version}/bowline.mjs`;
  const sum = sums.get("bowline.mjs") ?? "";
  const about = "Claude Code and Codex in every editor that speaks ACP";
  return {
    "homebrew/bowline.rb": `class Bowline < Formula
  desc "${about}"
  homepage "${website}"
  url "${url}"
  sha256 "${sum}"
  license "${license}"

  depends_on "node"

  def install
    libexec.install "bowline.mjs"
    (bin/"${id}").write <<~SH
      #!/bin/sh
      exec "#{Formula["node"].opt_bin}/node" "#{libexec}/bowline.mjs" "$@"
    SH
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/${id} --version")
  end
end
`,
    "nix/default.nix": `{ lib, stdenvNoCC, fetchurl, makeWrapper, nodejs }:

stdenvNoCC.mkDerivation {
  pname = "${id}";
  version = "${version}";
  src = fetchurl {
    url = "${url}";
    sha256 = "${sum}";
  };
  dontUnpack = true;
  nativeBuildInputs = [ makeWrapper ];
  installPhase = ''
    install -Dm644 $src $out/libexec/bowline.mjs
    makeWrapper \${nodejs}/bin/node $out/bin/${id} --add-flags $out/libexec/bowline.mjs
  '';
  meta = {
    description = "${about}";
    homepage = "${website}";
    license = lib.licenses.${license.toLowerCase()};
    mainProgram = "${id}";
    platforms = nodejs.meta.platforms;
  };
}
`,
  };
}
