export { builtIns } from './built-in.ts';
export { connectorsFolder, openConnectors } from './host.ts';
