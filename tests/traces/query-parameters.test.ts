import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('parameters of a query in a trace on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());
  const create = (parameters: unknown) =>
    app.call('traces.create', { query_events: [{ operation: 'search', parameters }] } as never);

  it.each([[[1, 2]], ['text'], [7], [null], [true]])(
    'are refused as %j, since they are an object in every answer',
    async (given) => {
      await expect(create(given)).rejects.toMatchObject({
        code: 'invalid_input',
        detail: {
          errors: [{ path: 'query_events.0.parameters', message: expect.stringContaining('must be an object') }],
        },
      });
    },
  );

  it('come back as they were given, and empty where there are none', async () => {
    const parameters = { query: 'retries', filters: { tags: ['a'], limit: 3 } };
    expect((await create(parameters)).query_events[0]?.parameters).toEqual(parameters);
    expect((await create(undefined)).query_events[0]?.parameters).toEqual({});
  });
});
