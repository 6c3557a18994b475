/** The service is where the dashboard is, also under a path that a proxy adds. */
export const serviceUrl = (): string => new URL('./', location.href.split('#')[0]).href;

/** Who acts where a person does something here. */
export const DASHBOARD_AGENT = 'dashboard';
