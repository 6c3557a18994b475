/** A message as received. Without data it only advances the id. */
export type SseMessage = { id: string | undefined; event: string | undefined; data: string | undefined };

/** Parses text/event-stream from chunks of any size and returns the complete messages. */
export function createParser(): (text: string) => SseMessage[] {
  let buffer = '';
  let lines: string[] = [];
  let id: string | undefined;
  let event: string | undefined;

  function readLine(line: string): SseMessage | undefined {
    if (line === '') {
      const message = { id, event, data: lines.length > 0 ? lines.join('\n') : undefined };
      lines = [];
      event = undefined;
      return message;
    }
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') lines.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  }

  return (text) => {
    buffer += text;
    const messages: SseMessage[] = [];
    const end = /\r\n|\n|\r/g;
    let from = 0;
    for (let found = end.exec(buffer); found; found = end.exec(buffer)) {
      // A final \r may be the first half of \r\n.
      if (found[0] === '\r' && end.lastIndex === buffer.length) break;
      const message = readLine(buffer.slice(from, found.index));
      if (message) messages.push(message);
      from = end.lastIndex;
    }
    buffer = buffer.slice(from);
    return messages;
  };
}
