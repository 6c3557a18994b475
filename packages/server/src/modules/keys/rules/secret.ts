const PREFIX = 'mem_sk_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** The number of digits that 32 bytes and a checksum of 32 bits take. */
const BODY = 43;
const CHECK = 6;
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${BODY}})([0-9A-Za-z]{${CHECK}})$`);

/** Encodes a key from 32 random bytes. Its last characters are a checksum, so that a typo is detected without a lookup. */
export function toSecret(random: Uint8Array): string {
  if (random.length !== RANDOM_BYTES) throw new Error(`a key has ${RANDOM_BYTES} random bytes`);
  const body = digits(BigInt(`0x${Buffer.from(random).toString('hex')}`), BODY);
  return PREFIX + body + checksum(body);
}

/** Returns what is wrong with the format of a key, or undefined. */
export function secretProblem(text: string): string | undefined {
  if (!text.startsWith(PREFIX)) return `a key starts with ${PREFIX}`;
  const [, body, check] = FORM.exec(text) ?? [];
  if (body === undefined) return 'the key is cut off, or has something in it that does not belong there';
  return checksum(body) === check ? undefined : 'the key has a typo: its checksum does not fit';
}

/** Enough to recognise a key, far from enough to guess it. */
export const prefixOf = (secret: string): string => secret.slice(0, PREFIX.length + 5);

function digits(number: bigint, length: number): string {
  let text = '';
  for (let rest = number, i = 0; i < length; i++, rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

function checksum(text: string): string {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return digits(BigInt((crc ^ 0xffffffff) >>> 0), CHECK);
}
