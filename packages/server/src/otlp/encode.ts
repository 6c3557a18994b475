import type { Json } from './decode.ts';
import type { Field, Message, Scalar } from './messages.ts';

/** Writes a message from its JSON form into its binary form. Members that it does not know are left out. */
export function encodeMessage(message: Message, json: Json): Buffer {
  const parts: Buffer[] = [];
  for (const [number, field] of message) {
    const value = json[field.name];
    if (value === undefined || value === null) continue;
    for (const one of field.list ? (value as unknown[]) : [value]) parts.push(...encodeField(number, field, one));
  }
  return Buffer.concat(parts);
}

function encodeField(number: number, { type }: Field, value: unknown): Buffer[] {
  if (typeof type === 'string') {
    const [wireType, encode] = SCALARS[type];
    return [varint(BigInt(number * 8 + wireType)), encode(value as never)];
  }
  return [varint(BigInt(number * 8 + 2)), delimited(encodeMessage(type(), value as Json))];
}

const delimited = (bytes: Buffer): Buffer => Buffer.concat([varint(BigInt(bytes.length)), bytes]);

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function fixed(size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
}

const SCALARS: Record<Scalar, readonly [wireType: number, encode: (value: never) => Buffer]> = {
  string: [2, (text: string) => delimited(Buffer.from(text))],
  bytes: [2, (text: string) => delimited(Buffer.from(text, 'base64'))],
  hex: [2, (text: string) => delimited(Buffer.from(text, 'hex'))],
  bool: [0, (value: boolean) => varint(value ? 1n : 0n)],
  uint32: [0, (value: number) => varint(BigInt(value))],
  int32: [0, (value: number) => varint(BigInt(value))],
  int64: [0, (value: string | number) => varint(BigInt(value))],
  fixed64: [1, (value: string | number) => fixed(8, (bytes) => bytes.writeBigUInt64LE(BigInt(value)))],
  fixed32: [5, (value: number) => fixed(4, (bytes) => bytes.writeUInt32LE(value))],
  double: [1, (value: number) => fixed(8, (bytes) => bytes.writeDoubleLE(value))],
};
