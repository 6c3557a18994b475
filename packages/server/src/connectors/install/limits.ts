/** An installation that cannot be done, with the reason for the user. */
export class InstallError extends Error {
  override name = 'InstallError';
}

/** Of a package without its dependencies. */
export const PACKAGE_LIMITS = { files: 2_000, bytes: 32 * 1024 * 1024, tarball_bytes: 16 * 1024 * 1024 };
