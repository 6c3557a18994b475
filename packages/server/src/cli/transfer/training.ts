import { Readable } from 'node:stream';
import type { ExitCode } from '../failure.ts';
import type { OwnParts } from '../own/command.ts';
import { openCount } from '../progress.ts';
import { clean } from '../render/text.ts';
import { withConnection } from './connection.ts';
import { writeTo } from './export.ts';

type TrainingRequest = { input: Record<string, unknown>; out: string | undefined };

/** The file gets its name only when it is complete. */
export async function exportExamples(parts: OwnParts, { input, out }: TrainingRequest): Promise<ExitCode> {
  return withConnection<ExitCode>(parts, 'read', async (connection) => {
    const written = { examples: 0 };
    const source = Readable.from(countedLines(connection.lines('training.export', input), written));
    if (!(await writeTo(out, source, { gzip: out?.endsWith('.gz') === true }))) return 0;
    if (out !== undefined) parts.terminal.err(`exported ${written.examples} examples to ${clean(out)}\n`);
    else if (written.examples === 0) parts.terminal.err('0 examples\n');
    return 0;
  });
}

/** How many there will be is not known before the end. */
async function* countedLines(lines: AsyncIterable<string>, written: { examples: number }): AsyncGenerator<string> {
  const progress = openCount('examples');
  for await (const line of lines) {
    progress.show(++written.examples);
    yield `${line}\n`;
  }
  progress.end();
}
