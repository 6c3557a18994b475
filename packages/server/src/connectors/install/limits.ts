/** An installation that cannot be done, with the reason for the user. */
export class InstallError extends Error {
  override name = 'InstallError';
}

/** Of a package without its dependencies. */
export const PACKAGE_LIMITS = { files: 2_000, bytes: 32 * 1024 * 1024, tarball_bytes: 16 * 1024 * 1024 };

/** What npm leaves out of a package too. Of a foreign one, settings of npm would be read with our variables in them. */
export const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.git', '.npmrc', '.env']);
