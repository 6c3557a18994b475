import { Fault, type ModuleRoute, operations, routesWithoutOperation } from '@mem-service/contract';

type Missing = ModuleRoute & { pattern: RegExp };

/** The name of a branch may span several segments; every other parameter is one. */
function patternOf({ method, path }: ModuleRoute): RegExp {
  const words = path.split('/').map((word) => (word === '{name}' ? '.+' : word.startsWith('{') ? '[^/]+' : word));
  return new RegExp(`^${words.join('/')}${method === undefined ? '(/.*)?' : ''}/?$`);
}

const missing: readonly Missing[] = routesWithoutOperation(operations).map((route) => ({
  ...route,
  pattern: patternOf(route),
}));

/** The refusal for an address of a module that is not installed; undefined for an unknown address. */
export function missingModuleAt(method: string, path: string): Fault | undefined {
  const found = missing.filter(({ pattern }) => pattern.test(path));
  const asked = method === 'HEAD' ? 'GET' : method;
  const route = found.find((one) => one.method === undefined || one.method === asked) ?? found[0];
  if (!route) return undefined;
  const { module } = route;
  const todo = `which this version does not have: look for a later one of the server and of @mem-service/pro`;
  return new Fault('module_not_installed', `${method} ${path} needs the module ${module}, ${todo}`, { module });
}
