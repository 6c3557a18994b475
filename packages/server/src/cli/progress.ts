/** A progress line. It is shown only on a terminal. */
export type Progress = { show(done: number, total: number): void; end(): void };

const WIDTH = 24;
const EVERY_MS = 100;

export function openProgress(label: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show() {}, end() {} };
  let shownAt = 0;
  return {
    show(done, total) {
      const now = performance.now();
      if (now - shownAt < EVERY_MS && done < total) return;
      shownAt = now;
      stream.write(`\r\u001b[K${barOf(label, done, total)}`);
    },
    end() {
      stream.write('\r\u001b[K');
    },
  };
}

/** Counts what has no known end. */
export function openCount(label: string, stream: NodeJS.WriteStream = process.stderr) {
  let shownAt = 0;
  return {
    show(done: number): void {
      const now = performance.now();
      if (!stream.isTTY || now - shownAt < EVERY_MS) return;
      shownAt = now;
      stream.write(`\r\u001b[K${done} ${label}`);
    },
    end(): void {
      if (stream.isTTY) stream.write('\r\u001b[K');
    },
  };
}

export function barOf(label: string, done: number, total: number): string {
  const part = total <= 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(part * WIDTH);
  return `${label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.floor(part * 100)}% ${done}/${total}`;
}
