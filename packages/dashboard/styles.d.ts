// Styles that the build bundles: those of a module become its class names, the others have no value.
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>;
  export default names;
}

declare module '*.css';
