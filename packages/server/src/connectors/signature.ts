import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Manifest, RawDelivery } from './types.ts';

export type SignatureForm = Pick<Manifest['webhook'], 'signature_header' | 'signature_algorithm' | 'signature_prefix'>;

const HASHES = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const;

export type SignatureAlgorithm = keyof typeof HASHES;

/** Whether a delivery carries the HMAC of its body, in the form that the manifest of a connector describes. */
export function hasSignature(delivery: RawDelivery, secret: string, form: SignatureForm): boolean {
  const sent = delivery.headers[form.signature_header.toLowerCase()];
  const { signature_algorithm: algorithm, signature_prefix: prefix } = form;
  return isSignatureOf(delivery.body, { secret, algorithm, prefix, sent });
}

export type SentSignature = {
  secret: string;
  algorithm: SignatureAlgorithm;
  /** What each signature begins with; one that begins otherwise is another scheme's. */
  prefix: string;
  /** The value of the header: one signature, or several separated by commas while the sender replaces its secret. */
  sent: string | undefined;
};

/** Every signature is compared in full, so that the time taken reveals nothing about the right one. */
export function isSignatureOf(signed: Buffer | string, { secret, algorithm, prefix, sent }: SentSignature): boolean {
  // Anybody can compute an HMAC with an empty secret.
  if (secret === '' || sent === undefined) return false;
  const right = createHmac(HASHES[algorithm], secret).update(signed).digest();
  let isRight = false;
  for (const one of sent.split(',')) {
    const signature = digestIn(one.trim(), prefix, right.length);
    if (signature !== undefined && timingSafeEqual(signature, right)) isRight = true;
  }
  return isRight;
}

/** The bytes of a signature in hexadecimal digits. Undefined if it is anything else. */
function digestIn(text: string, prefix: string, length: number): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const digits = text.slice(prefix.length);
  if (digits.length !== 2 * length || !/^[0-9a-f]+$/i.test(digits)) return undefined;
  return Buffer.from(digits, 'hex');
}

/** Whether one of the secrets made the signature: there are two while one replaces the other. */
export const hasSignatureByAny = (delivery: RawDelivery, secrets: readonly string[], form: SignatureForm): boolean =>
  secrets.filter((secret) => hasSignature(delivery, secret, form)).length > 0;
