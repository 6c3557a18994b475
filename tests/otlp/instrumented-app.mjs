// A program as its author would write it: the real `openai` package, an instrumentation, an exporter, and nothing of ours.
// Usage: instrumented-app.mjs LIBRARY SERVICE_URL. A process of its own, as instrumentations change what they watch.
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { context, metrics, ROOT_CONTEXT, trace } = require('@opentelemetry/api');
const { BasicTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base');
const exporters = {
  json: require('@opentelemetry/exporter-trace-otlp-http').OTLPTraceExporter,
  proto: require('@opentelemetry/exporter-trace-otlp-proto').OTLPTraceExporter,
};
const [library, serviceUrl] = process.argv.slice(2);

const storage = new AsyncLocalStorage();
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (...[given, run, self, ...args]) => storage.run(given, () => run.apply(self, args)),
  bind: (given, target) =>
    typeof target === 'function' ? (...args) => storage.run(given, () => target(...args)) : target,
  enable() {
    return this;
  },
  disable() {
    return this;
  },
});

const { OpenAIInstrumentation } = require(library);
const instrumentation = new OpenAIInstrumentation();
instrumentation.setMeterProvider(metrics.getMeterProvider());
instrumentation.enable();
const { OpenAI } = require('openai');

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Paris' } }],
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
};

/** Answers as the model API does: to one name of a model with an error. */
const models = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { model } = JSON.parse(Buffer.concat(chunks).toString());
  const isKnown = model === 'gpt-4o';
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isKnown ? completion : { error: { message: 'there is no such model', code: 'none' } }));
});
models.listen(0, '127.0.0.1');
await once(models, 'listening');
const client = new OpenAI({
  apiKey: 'sk-of-the-test',
  baseURL: `http://127.0.0.1:${models.address().port}/v1`,
  maxRetries: 0,
});

for (const [form, Exporter] of Object.entries(exporters)) {
  const exporter = new Exporter({ url: `${serviceUrl}/v1/traces`, headers: { 'x-mem-agent-id': 'geographer' } });
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  instrumentation.setTracerProvider(provider);
  const tracer = provider.getTracer('app');
  const run = tracer.startSpan('answer a question', { attributes: { 'session.id': `${library} ${form}` } });
  await context.with(trace.setSpan(ROOT_CONTEXT, run), async () => {
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    await client.chat.completions.create({ model: 'gpt-4o', temperature: 0.2, messages });
    await client.chat.completions.create({ model: 'no-model', messages }).catch(() => {});
  });
  // The spans of calls end a moment after their promises do.
  await new Promise((resolve) => setTimeout(resolve, 50));
  run.end();
  await provider.forceFlush();
  await provider.shutdown();
}
models.close();
models.closeAllConnections();
