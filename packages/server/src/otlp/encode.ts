import type { JsonObject } from './decode.ts';
import type { ProtobufField, ProtobufMessage, ProtobufScalar } from './messages.ts';

/** Encodes a message from its JSON form. Unknown members are left out. */
export function encodeMessage(message: ProtobufMessage, json: JsonObject): Buffer {
  const writer = new ProtobufWriter();
  writer.message(message, json);
  return writer.written();
}

const FIRST_BYTES = 4096;
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const reversed = new WeakMap<ProtobufMessage, readonly (readonly [number, ProtobufField])[]>();

function backwards(message: ProtobufMessage): readonly (readonly [number, ProtobufField])[] {
  let fields = reversed.get(message);
  if (!fields) {
    fields = [...message].reverse();
    reversed.set(message, fields);
  }
  return fields;
}

/** Writes from the end to the beginning: the length of a part precedes it, and is known once the part is written. */
class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = FIRST_BYTES;

  written(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#at));
  }

  message(message: ProtobufMessage, json: JsonObject): void {
    for (const [number, field] of backwards(message)) {
      const value = json[field.name];
      if (value === undefined || value === null) continue;
      if (!field.list) this.#field(number, field, value);
      else
        for (let i = (value as unknown[]).length - 1; i >= 0; i--) this.#field(number, field, (value as unknown[])[i]);
    }
  }

  #field(number: number, { type }: ProtobufField, value: unknown): void {
    const end = this.#at - this.#bytes.length;
    let wireType = BYTES;
    if (typeof type === 'string') wireType = this.#scalar(type, value as never);
    else this.message(type(), value as JsonObject);
    if (wireType === BYTES) this.#varint(end - (this.#at - this.#bytes.length));
    this.#varint(number * 8 + wireType);
  }

  #scalar(type: ProtobufScalar, value: never): number {
    switch (type) {
      case 'string':
        return this.#text(value, 'utf8');
      case 'bytes':
        return this.#text(value, 'base64');
      case 'hex':
        return this.#text(value, 'hex');
      case 'fixed64':
        this.#reserve(8).writeBigUInt64LE(BigInt(value));
        return FIXED64;
      case 'double':
        this.#reserve(8).writeDoubleLE(value);
        return FIXED64;
      case 'fixed32':
        this.#reserve(4).writeUInt32LE(value);
        return FIXED32;
      case 'int64':
        this.#varint(Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value));
        return VARINT;
      default:
        this.#varint(Number(value));
        return VARINT;
    }
  }

  #text(text: string, encoding: 'utf8' | 'base64' | 'hex'): number {
    this.#reserve(Buffer.byteLength(text, encoding)).write(text, encoding);
    return BYTES;
  }

  #varint(value: number | bigint): void {
    if (value >= 0 && value < 0x80) {
      this.#reserve(1)[0] = Number(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.#reserve(bytes.length).set(bytes);
  }

  /** Reserves bytes before those already written. */
  #reserve(length: number): Buffer {
    if (length > this.#at) {
      const size = Math.max(this.#bytes.length * 2, this.#bytes.length + length);
      const larger = Buffer.allocUnsafe(size);
      const used = this.#bytes.length - this.#at;
      this.#bytes.copy(larger, size - used, this.#at);
      this.#bytes = larger;
      this.#at = size - used;
    }
    this.#at -= length;
    return this.#bytes.subarray(this.#at, this.#at + length);
  }
}
