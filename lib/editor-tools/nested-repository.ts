/**
 * Finds a git repository on the way to a file, other than the session's own.
 *
 * A repository is a directory with an entry `.git`, such as a submodule, named in `.gitmodules`
 * or not. A directory with a file `HEAD` counts too: it may be the git directory itself, of a
 * bare repository or of one whose `.git` is a file that names another directory. In such a
 * directory ordinary names, such as `config`, decide what git runs.
 */
import { dirname, join } from "node:path";
import type { Disk } from "./file-access.ts";

/**
 * The innermost repository between `root` and the file. Of `root` itself only a file `HEAD` counts. Both paths have
 * their links resolved. Rejects when that cannot be found out.
 */
export async function repositoryOnWay(
  path: string,
  root: string,
  disk: Pick<Disk, "facts" | "isLink">,
): Promise<string | undefined> {
  let directory = path;
  do {
    directory = dirname(directory);
    const [head, dotGit, isDotGitLink, isHeadLink] = await Promise.all([
      disk.facts(join(directory, "HEAD")),
      disk.facts(join(directory, ".git")),
      disk.isLink(join(directory, ".git")),
      disk.isLink(join(directory, "HEAD")),
    ]);
    if (isHeadLink || (head !== undefined && !head.isDirectory)) return directory;
    if (directory !== root && (dotGit !== undefined || isDotGitLink)) return directory;
  } while (directory !== root && directory !== dirname(directory));
  return undefined;
}
