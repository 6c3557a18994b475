import { type Operation, operationNames, operations } from '@mem-service/contract';

/** How long the page listens to a stream, which has no end, before it shows what came. */
const LISTEN_MS = 1500;

const streamPaths = operationNames
  .map((name): Operation => operations[name])
  .filter(({ stream }) => stream)
  .map(({ http }) => http.path);

/** Starts Swagger UI, fills in what answers link to, and shows the beginning of streams. */
export const DOCS_SCRIPT = `'use strict';
const streamPaths = ${JSON.stringify(streamPaths)};

/** Swagger UI shows an answer once it has ended. */
async function fetchBeginning(url, request) {
  const response = await fetch(url, request);
  if (!response.ok) return response;
  const reader = response.body.getReader();
  setTimeout(() => reader.cancel(), ${LISTEN_MS});
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true });
  return new Response(text, { status: response.status, headers: response.headers });
}

function fillIn(system, { operationId, parameters }, answer) {
  const paths = Object.entries(system.specSelectors.specJson().get('paths').toJS());
  for (const [path, methods] of paths)
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== operationId) continue;
      const shown = system.specSelectors.specResolvedSubtree(['paths', path, method]);
      for (const [name, from] of Object.entries(parameters)) {
        const value = answer[from.replace('$response.body#/', '')];
        const field = shown?.get('parameters').find((one) => one.get('name') === name);
        if (field) system.specActions.changeParamByIdentity([path, method], field, value, false);
        else system.specActions.changeParam([path, method], name, 'path', value, false);
      }
    }
}

const followLinks = {
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (next, system) => (path, method, response) => {
          const described = ['paths', path, method, 'responses', String(response.status), 'links'];
          const links = system.specSelectors.specJson().getIn(described)?.toJS() ?? {};
          for (const link of Object.values(links)) fillIn(system, link, response.obj ?? {});
          return next(path, method, response);
        },
      },
    },
  },
};

/** The key of this tab, where somebody has signed in to the dashboard. None is kept for longer than the tab. */
function keyOfTab() {
  try {
    return sessionStorage.getItem('mem.key');
  } catch {
    return null;
  }
}

const page = SwaggerUIBundle({
  url: './docs/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => followLinks],
  requestInterceptor(request) {
    if (streamPaths.includes(new URL(request.url, location.href).pathname)) request.userFetch = fetchBeginning;
    return request;
  },
  onComplete() {
    const key = keyOfTab();
    if (key) page.preauthorizeApiKey('apiKey', key);
  },
});
`;
