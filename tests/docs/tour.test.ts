import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type App, openApp } from '../../packages/server/src/app.ts';
import { backends, listen, newPlace, type StorePlace, type TestServer } from '../support/app.ts';
import { missingIn, runSteps, stepsOf, titleOf } from './blocks.ts';
import { blocksOf, readDoc, root } from './markdown.ts';

describe.each(['README.md', 'docs/tour.md', 'docs/python.md'])('the examples of %s', (file) => {
  // A console shows commands that are not run; `py` needs packages that the tests do not have.
  const run = blocksOf(readDoc(file)).filter(
    ({ kind, section }) => kind !== 'console' && kind !== 'py' && section !== 'Start' && section !== '',
  );
  const steps = stepsOf(run);

  describe.each(backends)('on %s', (backend) => {
    let place: StorePlace;
    let app: App;
    let server: TestServer;
    let outputs: string[];

    beforeAll(async () => {
      place = await newPlace(backend);
      // The real clock: the examples wait for time to pass.
      app = await openApp({ ...place.options, modules: proModules });
      server = await listen(app);
      outputs = await runSteps(steps, { url: server.url, cwd: root });
    });
    afterAll(async () => {
      await server?.close();
      await app?.close();
      await place?.remove();
    });

    it.each(steps.map((step, i) => ({ title: titleOf(step), step, i })))('$title', ({ step, i }) => {
      expect(missingIn(outputs[i] ?? '', step.expected)).toEqual([]);
    });
  });
});
