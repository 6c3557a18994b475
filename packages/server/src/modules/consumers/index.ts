import { Fault } from '@mem-service/contract';
import {
  changed,
  countDeadLettersOf,
  dropDeadLetters,
  hashedBy,
  listCursors,
  listDeadLetters,
  looksAt,
  type Module,
  readAccount,
  reads,
  retryDeadLetters,
  type Services,
  toIso,
  toIsoOrNull,
  unchanged,
  WHOLE_ACCOUNT,
  writes,
} from '../../kernel/index.ts';

const list = reads<'consumers.list'>(async ({ read, caller: { account_id }, services }) => {
  const { names } = services.consumers;
  if (names.length === 0) return { last_seq: (await readAccount(read, account_id))?.seq ?? 0, consumers: [] };
  const [account, cursors, letters, totals] = await Promise.all([
    readAccount(read, account_id),
    listCursors(read, account_id),
    listDeadLetters(read, account_id, names),
    countDeadLettersOf(read, account_id),
  ]);
  const positions = account && (await services.consumers.positions(account, cursors));
  const consumers = names.map((consumer) => {
    const cursor = cursors.find((row) => row.consumer === consumer);
    return {
      consumer,
      seq: positions?.get(consumer) ?? 0,
      attempts: cursor?.attempts ?? 0,
      last_error: cursor?.last_error || null,
      retry_at: toIsoOrNull(cursor?.retry_at || null),
      dead_letters_total: totals.find((row) => row.consumer === consumer)?.n ?? 0,
      dead_letters: letters
        .filter((letter) => letter.consumer === consumer)
        .map(({ seq, attempts, error, failed_at, retry }) => ({
          ...{ seq, attempts, error, failed_at: toIso(failed_at), is_retried: retry === 1 },
        })),
    };
  });
  return { last_seq: account?.seq ?? 0, consumers };
});

const retry = writes<'consumers.retry'>(async (work, { input }) => {
  const { tx, account_id, services } = work;
  const { consumer, seq } = checked(services, input);
  const retried = await retryDeadLetters(tx, { account_id, consumer }, seq);
  const output = { consumer, retried };
  if (retried === 0) return unchanged(output);
  work.afterCommit(() => services.consumers.retry(consumer, account_id));
  return changed(output, { resource: consumer, ...hashedBy(output) });
});

const drop = writes<'consumers.drop'>(async ({ tx, account_id, services }, { input }) => {
  const { consumer, seq } = checked(services, input);
  const dropped = await dropDeadLetters(tx, { account_id, consumer }, seq);
  const output = { consumer, dropped };
  return dropped === 0 ? unchanged(output) : changed(output, { resource: consumer, ...hashedBy(output) });
});

function checked<I extends { consumer: string }>({ consumers }: Services, input: I): I {
  const { consumer } = input;
  if (consumers.names.includes(consumer)) return input;
  throw new Fault('not_found', `there is no consumer ${consumer}`, { consumer });
}

/** Shows the consumers of the log to operators; the kernel owns their tables. */
export const consumers: Module = {
  name: 'consumers',
  migrations: [],
  handlers: { 'consumers.list': looksAt(() => WHOLE_ACCOUNT, list), 'consumers.retry': retry, 'consumers.drop': drop },
};
