// React as modules of the language, which the bundler can put side by side with all others.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The names that pages import, and the packages and files that are meant in a build for production. */
const FILES = {
  react: ['react', 'react'],
  'react/jsx-runtime': ['react', 'react-jsx-runtime'],
  'react-dom': ['react-dom', 'react-dom'],
  'react-dom/client': ['react-dom', 'react-dom-client'],
  scheduler: ['scheduler', 'scheduler'],
};
const NAMES = Object.keys(FILES).join('|');

/** Other packages bring another React to the root; a page must have one only, that of the given package. */
function filesFor(packageFile) {
  const own = createRequire(packageFile);
  const ofReactDom = createRequire(own.resolve('react-dom/package.json'));
  return new Map(
    Object.entries(FILES).map(([name, [from, file]]) => {
      const folder = dirname((from === 'scheduler' ? ofReactDom : own).resolve(`${from}/package.json`));
      return [name, join(folder, 'cjs', `${file}.production.js`)];
    }),
  );
}

/**
 * React is published as functions that fill an `exports` object. A browser reads such a function twice, once to find its end while
 * the file arrives, and again, on the main thread, when it is called: for react-dom as long as for all of Overview. As a module it
 * is read once, beside the main thread.
 */
export const reactAsModules = (packageFile) => ({
  name: 'react-as-modules',
  setup(given) {
    const names = filesFor(packageFile);
    given.onResolve({ filter: new RegExp(`^(${NAMES})$`) }, ({ path }) => ({ path: names.get(path) }));
    given.onLoad({ filter: /[\\/]cjs[\\/][\w-]+\.production\.js$/ }, async ({ path }) =>
      [...names.values()].includes(path) ? { contents: asModule(await readFile(path, 'utf8'), path) } : undefined,
    );
  },
});

const REQUIRES = /^var ((?:\w+ = require\("[\w/-]+"\)[,;]\s*)+)/m;

function asModule(source, path) {
  const exported = new Set([...source.matchAll(/^exports\.(\w+) =/gm)].map(([, name]) => name));
  const [whole = '', required = ''] = REQUIRES.exec(source) ?? [];
  const imports = [...required.matchAll(/(\w+) = require\("([\w/-]+)"\)/g)].map(
    ([, name, from]) => `import * as ${name} from '${from}';`,
  );
  const body = source.replace(whole, '');
  if (exported.size === 0 || /\brequire\(/.test(body)) throw new Error(`${path} is not written as expected`);
  const list = [...exported];
  return [
    ...imports,
    'const exports = {};',
    body,
    `const { ${list.map((name) => `${name}: own_${name}`).join(', ')} } = exports;`,
    `export { ${list.map((name) => `own_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}
