import { expect, it } from 'vitest';
import { AnswersInFlight, largestAnswer } from './answers-in-flight.ts';

const KB = 1024;
const limits = { perAccount: 100 * KB, inAll: 250 * KB };

/** Whether a promise is resolved by now. */
async function isDone(promise: Promise<unknown> | undefined): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

it('an answer waits for others that are being made, and starts when they turn out to be small', async () => {
  const answers = new AnswersInFlight(limits);
  expect(answers.begin('a', 60 * KB)).toBeUndefined();
  const second = answers.begin('a', 60 * KB);
  const third = answers.begin('a', 30 * KB);
  expect(await isDone(second)).toBe(false);
  expect(answers.begin('b', 60 * KB)).toBeUndefined();
  answers.made('a', 60 * KB, KB);
  await Promise.all([second, third]);
  expect(answers.unread).toBe(0);
});

it('an answer is refused where others wait for their readers, of its account or of all', () => {
  const answers = new AnswersInFlight(limits);
  const takenBy = ['a', 'b', 'c'].map((account) => {
    void answers.begin(account, 60 * KB);
    return answers.made(account, 60 * KB, 60 * KB);
  });
  const refused = { code: 'unavailable', detail: { retry_after: 1 } };
  expect(() => answers.begin('a', 60 * KB)).toThrow(expect.objectContaining(refused));
  expect(() => answers.begin('a', 60 * KB)).toThrow(/of this account are not read yet/);
  expect(() => answers.begin('d', 80 * KB)).toThrow(/of this service are not read yet/);
  expect(answers.begin('d', 10 * KB)).toBeUndefined();
  for (const taken of takenBy) taken();
  expect(answers.unread).toBe(0);
  expect(answers.begin('a', 60 * KB)).toBeUndefined();
});

it('a waiting answer is refused once the room it waits for is taken by an unread one', async () => {
  const answers = new AnswersInFlight(limits);
  void answers.begin('a', 60 * KB);
  const waiting = answers.begin('a', 60 * KB);
  answers.made('a', 60 * KB, 60 * KB);
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
});

it('one answer is always possible, however small the limits are', async () => {
  const answers = new AnswersInFlight({ perAccount: 1, inAll: 1 });
  expect(answers.begin('a', 60 * KB)).toBeUndefined();
  const second = answers.begin('b', 60 * KB);
  expect(await isDone(second)).toBe(false);
  answers.made('a', 60 * KB, 0);
  await second;
});

it('lists take room for a page, reads for a document, writes for nothing', () => {
  const sizes = { page: 4, document: 1 };
  for (const name of ['entries.list', 'entries.search', 'log.list', 'sessions.explain', 'graph.neighbors'] as const)
    expect(largestAnswer(name, sizes)).toBe(4);
  expect(largestAnswer('entries.read', sizes)).toBe(1);
  expect(largestAnswer('entries.write', sizes)).toBe(0);
});
