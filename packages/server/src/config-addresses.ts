import { isIP } from 'node:net';
import * as z from 'zod';

export const origin = (text: string) => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return NAMED_RANGES.has(text) || (isIP(address) > 0 && fits && more.length === 0);
}

export const webAddress = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be an http or https address');
