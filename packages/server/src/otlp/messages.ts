/** The encoding of a scalar. `hex` are bytes that JSON shows in hexadecimal, `bytes` those that it shows in base64. */
export type ProtobufScalar =
  | 'string'
  | 'bytes'
  | 'hex'
  | 'bool'
  | 'uint32'
  | 'int32'
  | 'int64'
  | 'fixed64'
  | 'fixed32'
  | 'double';

/** A field: its name in JSON and its type. A message is given by a function, because it may contain itself. */
export type ProtobufField = { name: string; type: ProtobufScalar | (() => ProtobufMessage); list?: true };

/** Fields by their number in the protocol. */
export type ProtobufMessage = ReadonlyMap<number, ProtobufField>;

const message = (fields: Record<number, [name: string, type: ProtobufField['type'], list?: true]>): ProtobufMessage =>
  new Map(
    Object.entries(fields).map(([number, [name, type, list]]) => [
      Number(number),
      { name, type, ...(list ? { list } : {}) },
    ]),
  );

const anyValue: ProtobufMessage = message({
  1: ['stringValue', 'string'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int64'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', () => arrayValue],
  6: ['kvlistValue', () => kvlistValue],
  7: ['bytesValue', 'bytes'],
});

const arrayValue: ProtobufMessage = message({ 1: ['values', () => anyValue, true] });
const kvlistValue: ProtobufMessage = message({ 1: ['values', () => keyValue, true] });
const keyValue: ProtobufMessage = message({ 1: ['key', 'string'], 2: ['value', () => anyValue] });

const attributes = (): ProtobufMessage => keyValue;

const event = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'string'],
  3: ['attributes', attributes, true],
  4: ['droppedAttributesCount', 'uint32'],
});

const link = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['attributes', attributes, true],
  5: ['droppedAttributesCount', 'uint32'],
  6: ['flags', 'fixed32'],
});

const status = message({ 2: ['message', 'string'], 3: ['code', 'int32'] });

const span = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'string'],
  6: ['kind', 'int32'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', attributes, true],
  10: ['droppedAttributesCount', 'uint32'],
  11: ['events', () => event, true],
  12: ['droppedEventsCount', 'uint32'],
  13: ['links', () => link, true],
  14: ['droppedLinksCount', 'uint32'],
  15: ['status', () => status],
  16: ['flags', 'fixed32'],
});

const scope = message({
  1: ['name', 'string'],
  2: ['version', 'string'],
  3: ['attributes', attributes, true],
  4: ['droppedAttributesCount', 'uint32'],
});

const scopeSpans = message({
  1: ['scope', () => scope],
  2: ['spans', () => span, true],
  3: ['schemaUrl', 'string'],
});

const resource = message({ 1: ['attributes', attributes, true], 2: ['droppedAttributesCount', 'uint32'] });

const resourceSpans = message({
  1: ['resource', () => resource],
  2: ['scopeSpans', () => scopeSpans, true],
  3: ['schemaUrl', 'string'],
});

/** The request of an exporter of spans. */
export const exportRequest = message({ 1: ['resourceSpans', () => resourceSpans, true] });

const partialSuccess = message({ 1: ['rejectedSpans', 'int64'], 2: ['errorMessage', 'string'] });

/** The response to it. */
export const exportResponse = message({ 1: ['partialSuccess', () => partialSuccess] });

/** The reason of a refusal (`google.rpc.Status`). */
export const rpcStatus = message({ 1: ['code', 'int32'], 2: ['message', 'string'] });
