/**
 * Bundles spec files, with their common code in shared chunks. `import.meta` of a bundled
 * module points to its source file.
 */
import { readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";

export interface BundleOptions {
  readonly root: string;
  /** Paths from the root. */
  readonly specs: readonly string[];
  /** Emptied first. */
  readonly outdir: string;
  /** The path of a source file on the machine that runs the specs; the same unless given. */
  readonly pathOf?: ((path: string) => string) | undefined;
}

/** Returns what esbuild knows of the imports. */
export async function bundleSpecs({ root, specs, outdir, pathOf = (path) => path }: BundleOptions): Promise<Metafile> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...specs],
    outdir,
    outbase: root,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "linked",
    logLevel: "warning",
    plugins: [originalPaths(pathOf)],
    metafile: true,
  });
  return metafile;
}

/** Lets `import.meta` of each module point to its source file. */
export function originalPaths(pathOf: (path: string) => string = (path) => path): Plugin {
  return {
    name: "original paths",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const filename = pathOf(path);
        const url = filename === path ? pathToFileURL(path).href : `file:///${filename.replaceAll("\\", "/")}`;
        const original = { url, dirname: pathOf(dirname(path)), filename };
        const contents = readFileSync(path, "utf8").replaceAll(
          /\bimport\.meta\.(url|dirname|filename)\b/g,
          (_, key: keyof typeof original) => JSON.stringify(original[key]),
        );
        return { contents, loader: "ts" };
      });
    },
  };
}
