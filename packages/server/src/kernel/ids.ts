import { randomBytes } from 'node:crypto';

export type Ids = {
  next(now: number): string;
  /** 32 bytes that nobody can guess. */
  secret(): Uint8Array;
};

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** 26 characters: 10 of time, 16 random. They sort by the time they were made. */
export const randomIds: Ids = {
  secret: () => randomBytes(32),
  next(now) {
    let time = '';
    for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
    let random = '';
    for (const byte of randomBytes(16)) random += ALPHABET[byte % 32];
    return time + random;
  },
};
