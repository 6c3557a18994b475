import type { JsonObject } from '@mem-service/contract';
import type { ProtobufField, ProtobufMessage, ProtobufScalar } from './messages.ts';

export type { JsonObject } from '@mem-service/contract';

/** The bytes do not encode the message. */
export class ProtobufError extends Error {
  override name = 'ProtobufError';
}

const MAX_DEPTH = 100;
/** Two bytes can create an object; this limits how much larger than the body the result may be. */
const MAX_PARTS = 150_000;
/** Numbers of up to this many bytes are read without BigInt, which takes ten times as long. */
const SHORT_VARINT_BYTES = 4;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const WIRE_TYPES: Record<ProtobufScalar, number> = {
  string: BYTES,
  bytes: BYTES,
  hex: BYTES,
  bool: VARINT,
  uint32: VARINT,
  int32: VARINT,
  int64: VARINT,
  fixed64: FIXED64,
  fixed32: FIXED32,
  double: FIXED64,
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a message into its JSON form: 64-bit numbers as text, ids in hexadecimal. */
export function decodeMessage(message: ProtobufMessage, bytes: Uint8Array): JsonObject {
  return new ProtobufReader(bytes).message(message, bytes.length);
}

/** The same with a yield after each step of some milliseconds. */
export function decodeMessageInSteps(message: ProtobufMessage, bytes: Uint8Array): Generator<void, JsonObject> {
  return new ProtobufReader(bytes).steps(message, bytes.length);
}

/** A message of more bytes is decoded in steps of so many parts. */
const STEP_BYTES = 16 * 1024;
const STEP_PARTS = 2000;

class ProtobufReader {
  readonly #bytes: Buffer;
  #at = 0;
  #depth = 0;
  #parts = 0;
  #stepEnd = STEP_PARTS;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message(message: ProtobufMessage, end: number): JsonObject {
    this.#enter();
    const json: JsonObject = {};
    while (this.#at < end) {
      const field = this.#nextField(message, end);
      if (field) addTo(json, field, this.#value(field, end));
    }
    this.#depth--;
    return json;
  }

  *steps(message: ProtobufMessage, end: number): Generator<void, JsonObject> {
    this.#enter();
    const json: JsonObject = {};
    while (this.#at < end) {
      const field = this.#nextField(message, end);
      if (!field) continue;
      const { type } = field;
      const to = typeof type === 'string' ? end : this.#length(end);
      if (typeof type === 'string') addTo(json, field, this.#scalar(type, end));
      else if (to - this.#at > STEP_BYTES) addTo(json, field, yield* this.steps(type(), to));
      else addTo(json, field, this.message(type(), to));
      if (this.#parts < this.#stepEnd) continue;
      this.#stepEnd = this.#parts + STEP_PARTS;
      yield;
    }
    this.#depth--;
    return json;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new ProtobufError(`it is nested deeper than ${MAX_DEPTH} levels`);
  }

  /** Reads a tag. Passes over a field that is not known. */
  #nextField(message: ProtobufMessage, end: number): ProtobufField | undefined {
    const tag = this.#shortVarint(end);
    const number = Math.floor(tag / 8);
    if (number === 0 || tag > 0xffff_ffff) throw new ProtobufError('there is a field without a number');
    if (++this.#parts > MAX_PARTS) throw new ProtobufError(`it has more than ${MAX_PARTS} parts`);
    const field = message.get(number);
    if (!field) {
      this.#skip(tag % 8, end);
      return undefined;
    }
    const expected = typeof field.type === 'string' ? WIRE_TYPES[field.type] : BYTES;
    if (tag % 8 !== expected) throw new ProtobufError(`${field.name} has the wrong wire type`);
    return field;
  }

  #value({ type }: ProtobufField, end: number): unknown {
    return typeof type === 'string' ? this.#scalar(type, end) : this.message(type(), this.#length(end));
  }

  #scalar(type: ProtobufScalar, end: number): unknown {
    switch (type) {
      case 'string':
        return this.#text(this.#length(end));
      case 'bytes':
        return this.#take(this.#length(end)).toString('base64');
      case 'hex':
        return this.#take(this.#length(end)).toString('hex');
      case 'bool':
        return this.#varint(end) !== 0n;
      case 'uint32':
        return Number(BigInt.asUintN(32, this.#varint(end)));
      case 'int32':
        return Number(BigInt.asIntN(32, this.#varint(end)));
      case 'int64':
        return BigInt.asIntN(64, this.#varint(end)).toString();
      case 'fixed64':
        return this.#take(this.#within(8, end)).readBigUInt64LE().toString();
      case 'fixed32':
        return this.#take(this.#within(4, end)).readUInt32LE();
      case 'double':
        return this.#take(this.#within(8, end)).readDoubleLE();
    }
  }

  #skip(wireType: number, end: number): void {
    if (wireType === VARINT) this.#shortVarint(end);
    else if (wireType === BYTES) this.#at = this.#length(end);
    else if (wireType === FIXED64 || wireType === FIXED32) this.#at = this.#within(wireType === FIXED64 ? 8 : 4, end);
    else throw new ProtobufError(`there is no wire type ${wireType}`);
  }

  /** A tag or a length. */
  #shortVarint(end: number): number {
    let value = 0;
    for (let i = 0; i < SHORT_VARINT_BYTES && this.#at + i < end; i++) {
      const byte = this.#bytes[this.#at + i] as number;
      value |= (byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      this.#at += i + 1;
      return value;
    }
    return Number(this.#varint(end));
  }

  #varint(end: number): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.#at >= end) throw new ProtobufError('it ends within a number');
      const byte = this.#bytes[this.#at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('there is a number of more than 64 bits');
  }

  /** Reads a length and returns where the content ends. */
  #length(end: number): number {
    return this.#within(Math.min(this.#shortVarint(end), end + 1), end);
  }

  #within(length: number, end: number): number {
    if (this.#at + length > end) throw new ProtobufError('it ends too early');
    return this.#at + length;
  }

  #take(to: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, to);
    this.#at = to;
    return taken;
  }

  #text(to: number): string {
    try {
      return utf8.decode(this.#take(to));
    } catch {
      throw new ProtobufError('there is a text that is not UTF-8');
    }
  }
}

function addTo(json: JsonObject, { name, list }: ProtobufField, value: unknown): void {
  if (!list) json[name] = value;
  else if (json[name]) (json[name] as unknown[]).push(value);
  else json[name] = [value];
}
