SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger", deepLinking: true, docExpansion: "list",
  defaultModelsExpandDepth: 0, tryItOutEnabled: false, validatorUrl: null });
