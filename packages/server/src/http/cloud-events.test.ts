import { Fault, type JsonText, shapes } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributesIn, legalSource, mapCloudEvent, modeOf, readData } from './cloud-events.ts';

const EVENT = {
  specversion: '1.0',
  id: 'A234-1234-1234',
  source: 'https://github.com/cloudevents/spec/pull',
  type: 'com.github.pull_request.opened',
  subject: '123',
  time: '2018-04-05T17:31:00Z',
  data: { title: 'one' },
};

async function refusal(event: unknown): Promise<unknown> {
  const error = await mapCloudEvent(event).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Fault);
  expect(error.status).toBe(422);
  return error.detail.errors;
}

describe('a CloudEvent', () => {
  it('becomes an event of its source', async () => {
    expect(await mapCloudEvent(EVENT)).toEqual({
      source: 'github.com/cloudevents/spec/pull',
      entity_path: 'github.com/cloudevents/spec/pull',
      key: '123',
      value: { title: 'one' },
      event_type: 'com.github.pull_request.opened',
      id: expect.stringMatching(/^A234-1234-1234@[0-9a-f]{16}$/),
      occurred_at: '2018-04-05T17:31:00Z',
    });
  });

  it.each([
    ['checkout/builds/last', { entity_path: 'checkout/builds', key: 'last' }],
    ['/checkout/builds/last/', { entity_path: 'checkout/builds', key: 'last' }],
    ['last', { entity_path: 'github.com/cloudevents/spec/pull', key: 'last' }],
    ['', { entity_path: 'github.com/cloudevents/spec/pull', key: EVENT.type }],
    [undefined, { entity_path: 'github.com/cloudevents/spec/pull', key: EVENT.type }],
  ])('with the subject %j has its place', async (subject, place) => {
    expect(await mapCloudEvent({ ...EVENT, subject })).toMatchObject(place);
  });

  it('keeps its data: JSON, text, bytes, or none', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const sent = async (more: object) => (await mapCloudEvent({ ...EVENT, data: undefined, ...more })).value;
    expect(await sent({})).toBe(null);
    expect(await sent({ data: false })).toBe(false);
    expect(await sent({ data: 'text', datacontenttype: 'text/xml' })).toBe('text');
    const exact = await sent({ data_base64: base64('{"n": 1.0}'), datacontenttype: 'application/json' });
    expect((exact as JsonText).text).toBe('{"n": 1.0}');
    expect(await sent({ data_base64: base64('<a/>'), datacontenttype: 'text/xml' })).toBe('<a/>');
    expect(await sent({ data_base64: '/+8=' })).toEqual({
      content_type: 'application/octet-stream',
      data_base64: '/+8=',
    });
  });

  it.each([
    ['no version', { specversion: undefined }, 'specversion'],
    ['another version', { specversion: '0.3' }, 'specversion'],
    ['a version that is a number', { specversion: 1.0 }, 'specversion'],
    ['no id', { id: undefined }, 'id'],
    ['an empty id', { id: '' }, 'id'],
    ['a number as id', { id: 7 }, 'id'],
    ['no source', { source: undefined }, 'source'],
    ['no type', { type: null }, 'type'],
    ['a subject that is no text', { subject: 7 }, 'subject'],
    ['a subject with a star', { subject: 'a/*/c' }, 'subject'],
    ['a subject with dots', { subject: 'a/../c' }, 'subject'],
    ['a time that is no text', { time: 7 }, 'time'],
    ['data twice', { data_base64: 'AA==' }, 'data_base64'],
    ['null and data in Base64', { data: null, data_base64: 'AA==' }, 'data_base64'],
    ['Base64 without padding', { data: undefined, data_base64: 'AA' }, 'data_base64'],
    ['Base64 with a line break', { data: undefined, data_base64: 'AA==\n' }, 'data_base64'],
    ['Base64 for URLs', { data: undefined, data_base64: '_-8=' }, 'data_base64'],
    ['Base64 with bits left over', { data: undefined, data_base64: 'AB==' }, 'data_base64'],
  ])('is refused with %s', async (_, more, path) => {
    expect(await refusal({ ...EVENT, ...more })).toEqual([{ path, message: expect.any(String) }]);
  });

  it.each([[null], [[]], ['text'], [7]])('is an object, not %j', async (event) => {
    expect(await refusal(event)).toHaveLength(1);
  });
});

describe('a source', () => {
  it('is made legal, and stays what it is where it can', () => {
    expect(legalSource('/mycontext')).toBe('mycontext');
    expect(legalSource('urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66')).toBe(
      'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
    );
    expect(legalSource('../a/./b')).toBe('a/b');
    expect(legalSource('///')).toBe('cloudevents');
    const long = legalSource(`https://example.com/${'x'.repeat(500)}`);
    expect(long).toHaveLength(128);
    expect(long).not.toBe(legalSource(`https://example.com/${'x'.repeat(501)}`));
  });

  it('is legal whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const source = legalSource(text);
        expect(shapes.agentId.safeParse(`external/${source}`).success).toBe(true);
        expect(shapes.entityPath.safeParse(source).success).toBe(true);
      }),
    );
  });
});

describe('a request with CloudEvents', () => {
  it('is told by its headers', () => {
    const mode = (type: string, more = {}) => modeOf({ 'content-type': type, ...more });
    expect(mode('application/cloudevents+json; charset=utf-8')).toBe('structured');
    expect(mode('application/CloudEvents-Batch+JSON')).toBe('batch');
    expect(mode('application/json', { 'ce-specversion': '1.0' })).toBe('binary');
    expect(mode('application/cloudevents+json', { 'ce-specversion': '1.0' })).toBe('structured');
    expect(mode('application/json')).toBeUndefined();
    expect(mode('application/cloudevents+xml')).toBeUndefined();
  });

  it('may have the attributes in headers', () => {
    const headers = { 'ce-specversion': '1.0', 'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80', 'ce-type': '"a\\"b"' };
    expect(attributesIn(headers)).toEqual({ specversion: '1.0', subject: 'Euro € 😀', type: 'a"b' });
    expect(attributesIn({ 'ce-id': '100%' })).toEqual({ id: '100%' });
    expect(() => attributesIn({ 'ce-id': '%FF' })).toThrow('header ce-id');
  });

  it('has its data in the body, by its type', async () => {
    expect(await readData(Buffer.from('text'), 'text/plain; charset=utf-8')).toBe('text');
    expect(await readData(Buffer.alloc(0), 'application/json')).toBe(null);
    expect(((await readData(Buffer.from(' 1.0 '), 'application/json')) as JsonText).text).toBe('1.0');
    await expect(readData(Buffer.from('{'), 'application/json')).rejects.toThrow('not valid JSON');
    expect(await readData(Buffer.from([255]), 'text/plain')).toMatchObject({ data_base64: '/w==' });
  });
});
