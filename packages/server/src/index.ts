// The exports that other programs of the project need to open a store.
export { type App, type AppOptions, coreModules, openApp } from './app.ts';
export { type Config, ConfigError, readConfig } from './config.ts';
export { installedModules, openInstalledApp } from './installed.ts';
export { type Caller, type Kernel, SELF_HOSTED_ACCOUNT } from './kernel/index.ts';
