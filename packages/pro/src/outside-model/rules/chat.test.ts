import { expect, it } from 'vitest';
import { readChatAnswer } from './chat-answer.ts';
import { mostTokensOf, otherHabits, requestBody, USUAL_HABITS } from './chat-request.ts';

const answer = (message: object, more: object = {}) => ({ choices: [{ message, finish_reason: 'stop', ...more }] });

it('reads what a model wrote, and what it took', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, cost: 0.5 };
  expect(readChatAnswer({ ...answer({ content: ' yes ' }), usage })).toEqual({
    ...{ text: 'yes', problem: null, input_tokens: 10, output_tokens: 2, cost_usd: 0.5 },
  });
  expect(readChatAnswer(answer({ content: [{ type: 'text', text: 'a' }, { text: 'b' }] })).text).toBe('ab');
});

it.each([
  [answer({ content: null, refusal: 'no' }), 'it refused'],
  [answer({ content: 'x' }, { finish_reason: 'content_filter' }), 'it refused'],
  [answer({ content: '{"result":' }, { finish_reason: 'length' }), 'the answer was cut off'],
  [answer({}), 'there is no answer in it'],
  [{ choices: [] }, 'there is no answer in it'],
  [{ choices: 'none' }, 'there is no answer in it'],
  [null, 'there is no answer in it'],
  ['text', 'there is no answer in it'],
])('has no text of %j', (body, problem) => {
  expect(readChatAnswer(body)).toMatchObject({ text: null, problem, input_tokens: 0, cost_usd: null });
});

it('takes no figures that are none', () => {
  const usage = { prompt_tokens: -3, completion_tokens: '2', cost: Number.NaN };
  expect(readChatAnswer({ usage })).toMatchObject({ input_tokens: 0, output_tokens: 0, cost_usd: null });
  expect(readChatAnswer({ usage: { cost: 1e300, prompt_tokens: 2 ** 52 } })).toMatchObject({
    ...{ cost_usd: null, input_tokens: 0 },
  });
});

it('leaves out what a server does not take, and nothing else', () => {
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'é' }], max_tokens: 9 };
  expect(requestBody(request, USUAL_HABITS)).toEqual({ ...request, temperature: 0 });
  const second = otherHabits(USUAL_HABITS, "use 'max_completion_tokens' instead") ?? USUAL_HABITS;
  const third = otherHabits(second, "'temperature' does not support 0") ?? USUAL_HABITS;
  expect(requestBody(request, third)).toEqual({ model: 'm', messages: request.messages, max_completion_tokens: 9 });
  expect(otherHabits(third, 'max_completion_tokens temperature')).toBeUndefined();
  expect(otherHabits(USUAL_HABITS, 'something else')).toBeUndefined();
  expect(mostTokensOf(request.messages)).toBeGreaterThan(2);
});
