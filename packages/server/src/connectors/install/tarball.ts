import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { InstallError, LEFT_OUT, PACKAGE_LIMITS } from './limits.ts';

const BLOCK = 512;

type TarEntry = { path: string; type: string; contents: Buffer };

/** Writes the files of an npm tarball into a folder, without the folder that all of them are in. */
export function unpack(tarball: Buffer, folder: string): void {
  let files = 0;
  for (const { path, type, contents } of entriesOf(inflate(tarball))) {
    if (type === '5') continue;
    if (type !== '0' && type !== '\0') throw new InstallError(`the package holds ${path}, which is no plain file`);
    if (++files > PACKAGE_LIMITS.files)
      throw new InstallError(`the package has more than ${PACKAGE_LIMITS.files} files`);
    const place = placeOf(path);
    if (place.some((segment) => LEFT_OUT.has(segment.toLowerCase()))) continue;
    const target = join(folder, ...place);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, contents, { mode: 0o644 });
  }
  if (files === 0) throw new InstallError('the package has no files');
}

function inflate(tarball: Buffer): Buffer {
  try {
    return gunzipSync(tarball, { maxOutputLength: PACKAGE_LIMITS.bytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const limit = PACKAGE_LIMITS.bytes / 1024 ** 2;
    throw new InstallError(
      isTooLarge ? `the package has more than ${limit} MiB` : 'this is no package: npm pack makes one',
    );
  }
}

/** The segments of a path within the package. A path that would lead out of it is refused. */
function placeOf(path: string): string[] {
  const [, ...segments] = path.split('/');
  const isBad = (segment: string) => segment === '' || segment === '.' || segment === '..' || /[\\:\0]/.test(segment);
  if (path.startsWith('/') || segments.length === 0 || segments.some(isBad))
    throw new InstallError(`the package holds a file with the path ${JSON.stringify(path)}`);
  return segments;
}

function* entriesOf(tar: Buffer): Generator<TarEntry> {
  let longPath: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK);
    const size = octalIn(header.subarray(124, 136));
    const contents = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (contents.length < size) throw new InstallError('the package is cut off');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') longPath = paxPath(String(contents)) ?? longPath;
    else if (type === 'L') longPath = textIn(contents);
    else if (type !== 'g') {
      const prefix = textIn(header.subarray(345, 500));
      const name = textIn(header.subarray(0, 100));
      const isUstar = textIn(header.subarray(257, 262)) === 'ustar';
      yield { path: longPath ?? (isUstar && prefix ? `${prefix}/${name}` : name), type, contents };
      longPath = undefined;
    }
  }
}

function textIn(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return String(end < 0 ? bytes : bytes.subarray(0, end));
}

function octalIn(bytes: Buffer): number {
  const text = textIn(bytes).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw new InstallError('the package is damaged');
  return Number.parseInt(text, 8);
}

/** Records of the form `length name=value`. */
const paxPath = (records: string): string | undefined => /^\d+ path=(.*)$/m.exec(records)?.[1];
