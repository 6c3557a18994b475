import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMessage,
  decodeMessageInSteps,
  encodeMessage,
  exportRequest,
  exportResponse,
  type JsonObject,
  ProtobufError,
} from './index.ts';

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
const wellFormed = fc.string({ unit: 'binary', maxLength: 12 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });

const { anyValue } = fc.letrec<{ anyValue: JsonObject }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 3 },
    fc.record({ stringValue: wellFormed }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: int64 }),
    fc.record({ doubleValue: fc.double({ noNaN: true }) }),
    fc.record({ bytesValue: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')) }),
    fc.record({ arrayValue: fc.record({ values: some(tie('anyValue')) }) }),
    fc.record({ kvlistValue: fc.record({ values: some(fc.record({ key: wellFormed, value: tie('anyValue') })) }) }),
  ),
}));
const attributes = some(fc.record({ key: wellFormed, value: anyValue }));
const span = fc.record(
  {
    traceId: hex(16),
    spanId: hex(8),
    parentSpanId: hex(8),
    traceState: wellFormed,
    name: wellFormed,
    kind: fc.integer({ min: -1, max: 5 }),
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    droppedAttributesCount: uint32,
    events: some(fc.record({ timeUnixNano: uint64, name: wellFormed, attributes }, { requiredKeys: [] })),
    links: some(fc.record({ traceId: hex(16), spanId: hex(8), flags: uint32 }, { requiredKeys: [] })),
    status: fc.record({ message: wellFormed, code: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
    flags: uint32,
  },
  { requiredKeys: [] },
);
const request = fc.record({
  resourceSpans: some(
    fc.record(
      {
        resource: fc.record({ attributes }),
        scopeSpans: some(fc.record({ scope: fc.record({ name: wellFormed, version: wellFormed }), spans: some(span) })),
        schemaUrl: wellFormed,
      },
      { requiredKeys: [] },
    ),
  ),
});

describe('the binary form of OTLP', () => {
  it('gives back what was written', () => {
    fc.assert(
      fc.property(request, (json) => {
        const bytes = encodeMessage(exportRequest, json);
        expect(decodeMessage(exportRequest, bytes)).toEqual(json);
        expect(inSteps(bytes).json).toEqual(json);
      }),
      { numRuns: 100 },
    );
  });

  it('any bytes are read or refused, and nothing else happens', () => {
    const refuses = (bytes: Uint8Array) => {
      try {
        decodeMessage(exportRequest, bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refuses), { numRuns: 200 });
    // Almost valid bytes get further into the decoder than random ones.
    const broken = fc.tuple(request, fc.nat(), fc.nat({ max: 255 })).map(([json, at, byte]) => {
      const bytes = encodeMessage(exportRequest, json);
      bytes[at % bytes.length] = byte;
      return bytes;
    });
    fc.assert(fc.property(broken, refuses), { numRuns: 300 });
    const cut = fc.tuple(request, fc.nat()).map(([json, at]) => {
      const bytes = encodeMessage(exportRequest, json);
      return bytes.subarray(0, at % bytes.length);
    });
    fc.assert(fc.property(cut, refuses), { numRuns: 200 });
  });

  it.each([
    ['a message that is cut off', '0a05'],
    ['a length that does not fit into memory', '0affffffffffffffffff01'],
    ['a number without end', '0a0bffffffffffffffffffffff'],
    ['a field with the number 0', '0001'],
    ['a group', '0b0c'],
    ['a list of messages written as a number', '0801'],
    ['a text that is not UTF-8', '0a03' + '1a01ff'],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeMessage(exportRequest, Buffer.from(bytes, 'hex'))).toThrow(ProtobufError);
  });

  it('passes over fields that a later version may bring', () => {
    const later = Buffer.concat([
      Buffer.from('a81f05', 'hex'),
      encodeMessage(exportRequest, { resourceSpans: [{ schemaUrl: 'x' }] }),
      Buffer.from('a21f020102', 'hex'),
      Buffer.from('a51f01020304', 'hex'),
      Buffer.from('a11f0102030405060708', 'hex'),
    ]);
    expect(decodeMessage(exportRequest, later)).toEqual({ resourceSpans: [{ schemaUrl: 'x' }] });
  });

  it('refuses a value that holds itself a thousand times, without the stack to hold it', () => {
    let value: Buffer = Buffer.alloc(0);
    for (let i = 0; i < 1000; i++) value = nest(value);
    expect(() => decodeMessage(exportRequest, inAttribute(value))).toThrow(/nested deeper/);
  });

  it('refuses a small body that asks for a million objects', () => {
    const spans = Buffer.from('1200'.repeat(600_000), 'hex');
    const bytes = field(1, field(2, spans));
    expect(() => decodeMessage(exportRequest, bytes)).toThrow(/more than/);
  });

  it('reads a large body in steps', () => {
    const attributes = [{ key: 'a', value: { stringValue: 'b' } }];
    const spans = Array.from({ length: 9000 }, () => ({ traceId: '00', name: 'chat', attributes }));
    const json = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
    const read = inSteps(encodeMessage(exportRequest, json));
    expect(read.json).toEqual(json);
    expect(read.steps).toBeGreaterThan(20);
  });

  it('an answer without trouble is empty', () => {
    expect(encodeMessage(exportResponse, {}).length).toBe(0);
    const partial = { partialSuccess: { rejectedSpans: '3', errorMessage: 'no trace id' } };
    expect(decodeMessage(exportResponse, encodeMessage(exportResponse, partial))).toEqual(partial);
  });
});

function inSteps(bytes: Uint8Array): { json: unknown; steps: number } {
  const generator = decodeMessageInSteps(exportRequest, bytes);
  for (let steps = 0; ; steps++) {
    const { done, value } = generator.next();
    if (done) return { json: value, steps };
  }
}

function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, rest]), bytes]);
}

/** An AnyValue that holds an ArrayValue with one AnyValue. */
const nest = (value: Buffer): Buffer => field(5, field(1, value));

const inAttribute = (value: Buffer): Buffer => field(1, field(1, field(1, field(2, value))));
