import { randomBytes } from 'node:crypto';

export type Ids = {
  next(now: number): string;
  /** 32 cryptographically random bytes. */
  secret(): Uint8Array;
};

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const RANDOM_CHARS = 16;
const IDS_AT_ONCE = 64;

let bytes = Buffer.alloc(0);
let used = 0;

/** Random bytes are fetched in bulk: for a few, most of the cost is the call. */
function nextByte(): number {
  if (used === bytes.length) {
    bytes = randomBytes(IDS_AT_ONCE * RANDOM_CHARS);
    used = 0;
  }
  return bytes[used++] as number;
}

/** 26 characters: 10 of time, 16 random. They sort by creation time. */
export const randomIds: Ids = {
  secret: () => randomBytes(32),
  next(now) {
    let time = '';
    for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
    let random = '';
    for (let i = 0; i < RANDOM_CHARS; i++) random += ALPHABET[nextByte() % 32];
    return time + random;
  },
};
