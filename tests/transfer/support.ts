import type { Caller } from '../../packages/server/src/kernel/index.ts';
import { caller, type TestApp } from '../support/app.ts';

/** The export as text, line after line. */
export async function exportLines(app: TestApp, as: Partial<Caller> = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of await app.kernel.list('transfer.export', {}, caller(as))) lines.push(line);
  return lines;
}

/** Sends lines in small parts and finishes the import. */
export async function importLines(app: TestApp, lines: readonly string[], as: Partial<Caller> = {}) {
  for (let from = 0; from < lines.length; from += 50)
    await app.call('transfer.add', { from, lines: lines.slice(from, from + 50) }, as);
  return app.call('transfer.finish', {}, as);
}
