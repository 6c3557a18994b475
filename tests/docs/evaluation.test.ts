import { expect, it, onTestFinished } from 'vitest';
import { openDesk, serve } from '../cli/support.ts';
import { until } from '../faults/support/mem-process.ts';
import { blocksOf, readDoc } from './markdown.ts';

it('the first commands of docs/evaluation.md judge the traces that are there', async () => {
  const [first] = blocksOf(readDoc('docs/evaluation.md'));
  const commands = first?.text.trim().split('\n') ?? [];
  expect(commands.at(-1)).toBe('mem eval summary');
  const desk = await openDesk();
  onTestFinished(() => desk.remove());
  const server = await serve(desk.env);
  onTestFinished(async () => void (await server.stop()));
  const run = async (command: string) => {
    const [, ...words] = command.split(' ');
    const { code, out, err } = await desk.inProcess(words, { env: { MEM_HTTP_URL: server.url } });
    expect({ command, code, err }).toMatchObject({ code: 0 });
    return out;
  };
  const judgedBy = async (judge: string) =>
    until(async () => (await run('mem eval summary')).includes(judge), { seconds: 30, what: `verdicts of ${judge}` });
  const definition = '{"kind":"code","checks":[{"check":"outcome","in":["success"]}]}';
  await run(`mem judges create there-before --definition ${definition}`);
  await run('mem outcome earlier success --session earlier');
  // What follows new traces has passed this one when the first judge has seen it.
  await judgedBy('there-before');
  for (const command of commands) await run(command);
  await judgedBy('good-outcome');
});
