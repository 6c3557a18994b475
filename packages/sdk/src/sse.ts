/** A message as it came. Without data it only moves the id on. */
export type SseMessage = { id: string | undefined; data: string | undefined };

/** Takes text/event-stream as it arrives, in pieces of any size, and gives the messages that are complete. */
export function createParser(): (text: string) => SseMessage[] {
  let buffer = '';
  let lines: string[] = [];
  let id: string | undefined;

  function readLine(line: string): SseMessage | undefined {
    if (line === '') {
      const message = { id, data: lines.length > 0 ? lines.join('\n') : undefined };
      lines = [];
      return message;
    }
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'data') lines.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  }

  return (text) => {
    buffer += text;
    const messages: SseMessage[] = [];
    const end = /\r\n|\n|\r/g;
    let from = 0;
    for (let found = end.exec(buffer); found; found = end.exec(buffer)) {
      // At the very end it may be half of a pair.
      if (found[0] === '\r' && end.lastIndex === buffer.length) break;
      const message = readLine(buffer.slice(from, found.index));
      if (message) messages.push(message);
      from = end.lastIndex;
    }
    buffer = buffer.slice(from);
    return messages;
  };
}
