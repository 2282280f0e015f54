# What a team keeps of a table in Terraform. `changed` is the same some weeks later.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "endpoint" {
  type = string
}

variable "changed" {
  type    = bool
  default = false
}

provider "aws" {
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true

  endpoints {
    dynamodb               = var.endpoint
    applicationautoscaling = var.endpoint
    cloudwatch             = var.endpoint
  }
}

resource "aws_dynamodb_table" "orders" {
  name             = "terraform-orders"
  billing_mode     = "PROVISIONED"
  read_capacity    = 5
  write_capacity   = var.changed ? 7 : 5
  hash_key         = "PK"
  range_key        = "SK"
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  attribute {
    name = "PK"
    type = "S"
  }
  attribute {
    name = "SK"
    type = "S"
  }
  attribute {
    name = "GSI1PK"
    type = "S"
  }
  attribute {
    name = "GSI1SK"
    type = "N"
  }

  global_secondary_index {
    name            = "GSI1"
    hash_key        = "GSI1PK"
    range_key       = "GSI1SK"
    projection_type = "ALL"
    read_capacity   = 3
    write_capacity  = var.changed ? 4 : 3
  }

  ttl {
    attribute_name = "expires"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  tags = {
    team  = "shop"
    stage = var.changed ? "production" : "trial"
  }

  # Scaling sets it.
  lifecycle {
    ignore_changes = [read_capacity]
  }
}

resource "aws_appautoscaling_target" "reads" {
  service_namespace  = "dynamodb"
  resource_id        = "table/${aws_dynamodb_table.orders.name}"
  scalable_dimension = "dynamodb:table:ReadCapacityUnits"
  min_capacity       = 5
  max_capacity       = var.changed ? 200 : 100
}

resource "aws_appautoscaling_policy" "reads" {
  name               = "reads"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.reads.service_namespace
  resource_id        = aws_appautoscaling_target.reads.resource_id
  scalable_dimension = aws_appautoscaling_target.reads.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value = var.changed ? 60 : 70

    predefined_metric_specification {
      predefined_metric_type = "DynamoDBReadCapacityUtilization"
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  alarm_name          = "terraform-orders-throttles"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.orders.name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 2
  comparison_operator = "GreaterThanThreshold"
  threshold           = var.changed ? 10 : 5
  treat_missing_data  = "notBreaching"
}

resource "aws_dynamodb_table_item" "settings" {
  table_name = aws_dynamodb_table.orders.name
  hash_key   = aws_dynamodb_table.orders.hash_key
  range_key  = aws_dynamodb_table.orders.range_key

  item = jsonencode({
    PK    = { S = "SETTINGS" }
    SK    = { S = "v1" }
    limit = { N = var.changed ? "20" : "10" }
  })
}
