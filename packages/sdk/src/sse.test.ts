import { describe, expect, it } from 'vitest';
import { createParser } from './sse.ts';

const read = (...pieces: string[]) => {
  const parse = createParser();
  return pieces.flatMap((piece) => parse(piece));
};

describe('text/event-stream', () => {
  it('is messages with an id, the name of an event and data', () => {
    expect(read('id: 1\ndata: a\n\nid: 2\nevent: x\ndata: b\n\n')).toEqual([
      { id: '1', data: 'a' },
      { id: '2', event: 'x', data: 'b' },
    ]);
  });

  it('may be cut anywhere, and end its lines in any of three ways', () => {
    const text = ': hello\nretry: 1000\nid: 7\n\nid: 8\ndata: {"a":"ü\u2028"}\n\ndata: x\ndata: y\n\n';
    const whole = [
      { id: '7', data: undefined },
      { id: '8', data: '{"a":"ü\u2028"}' },
      { id: '8', data: 'x\ny' },
    ];
    for (const end of ['\n', '\r\n', '\r']) {
      const messages = `${text.replaceAll('\n', end)}${end === '\r' ? ': more' : ''}`;
      expect(read(messages)).toEqual(whole);
      expect(read(...messages)).toEqual(whole);
      for (let at = 1; at < messages.length; at++)
        expect(read(messages.slice(0, at), messages.slice(at))).toEqual(whole);
    }
  });

  it('has fields with or without a space, without a value, or that nobody knows', () => {
    expect(read('data:a\n\n', 'data:  a\n\n', 'data\n\n', 'colour: red\ndata: b\n\n', 'data: a: b\n\n')).toEqual(
      ['a', ' a', '', 'b', 'a: b'].map((data) => ({ id: undefined, data })),
    );
  });

  it('has no id with a NUL in it, and gives nothing for what is not complete', () => {
    expect(read('id: 1\n\nid: a\0b\ndata: x\n\n')).toEqual([
      { id: '1', data: undefined },
      { id: '1', data: 'x' },
    ]);
    expect(read('id: 1\ndata: x\n')).toEqual([]);
  });
});
