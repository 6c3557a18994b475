import { expect, it } from 'vitest';
import { providerOf } from './provider.ts';

it.each([
  ['https://api.openai.com/v1/chat/completions', 'openai'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'google'],
  ['https://evilopenai.com/v1', 'openai-compatible'],
  ['http://models.internal:8080/v1', 'openai-compatible'],
  ['http://127.0.0.1:11434/v1', 'openai-compatible'],
])('the provider of %s is %s', (url, provider) => expect(providerOf(url)).toBe(provider));
