import { inflateRawSync } from 'node:zlib';
import { refusal } from './refuse.mjs';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
/** Documents have a few dozen parts. */
const MAX_ENTRIES = 10_000;

/** One file out of a zip file, unless it unpacks to more than allowed. Undefined if there is no such file. */
export function unpack(bytes, name, mostBytes) {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const entry = findEntry(zip, name);
    return entry && contentOf(zip, entry, mostBytes);
  } catch (error) {
    if (error.code === 'ERR_BUFFER_TOO_LARGE')
      throw refusal('too_much_text', `the file unpacks to more than ${mostBytes} bytes`);
    throw error.reason ? error : refusal('broken', 'the zip file is broken');
  }
}

function findEntry(zip, name) {
  const end = findEnd(zip);
  const entries = zip.readUInt16LE(end + 10);
  if (entries > MAX_ENTRIES) throw refusal('broken', 'the zip file has too many parts');
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < entries; i++) {
    if (zip.readUInt32LE(at) !== DIRECTORY_ENTRY) throw refusal('broken', 'the zip file is broken');
    const nameBytes = zip.readUInt16LE(at + 28);
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes) === name) return at;
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return undefined;
}

function findEnd(zip) {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - MAX_COMMENT_BYTES); at--)
    if (zip.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  throw refusal('broken', 'the zip file has no directory');
}

function contentOf(zip, entry, mostBytes) {
  if (zip.readUInt16LE(entry + 8) & 1) throw refusal('encrypted', 'the document needs a password');
  const method = zip.readUInt16LE(entry + 10);
  const packedBytes = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  if (zip.readUInt32LE(local) !== LOCAL_HEADER) throw refusal('broken', 'the zip file is broken');
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + packedBytes);
  if (method === 8) return inflateRawSync(packed, { maxOutputLength: mostBytes });
  if (method === 0) return packed;
  throw refusal('broken', 'the zip file is packed in an unknown way');
}
